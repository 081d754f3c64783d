// Macros and calls.
#include "text/jinja/evaluator.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(EvaluatorCall, CallsMacros) {
  expect_texts({
      {"{% macro m(a, b=2) %}{{ a }}-{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} "
       "{{ m(b=5, a=4) }} {{ m() }}",
       "1-2 1-3 4-5 -2"},
      {"{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}", "11"},
      {"{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}",
       "(1, 2){'x': 3}"},
      {"{% macro m(x) %}{{ x }}{{ varargs|length }}{% endmacro %}{{ m(1, 2, 3) }}", "12"},
      {"{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}body{{ i }}{% endcall "
       "%}",
       "[body7]"},
      {"{% macro m() %}{% for x in l %}{{ caller(x) }}{% endfor %}{% endmacro %}{% "
       "call(y) m() %}<{{ y }}>{% endcall %}",
       "<3><1><2>"},
      {"{% macro m(x) %}{% if x > 0 %}{{ x }}{{ m(x - 1) }}{% endif %}{% endmacro "
       "%}{{ m(3) }}",
       "321"},
      {"{% macro m() %}{{ i }}{% endmacro %}{% set i = 9 %}{{ m() }}", "9"},
      {"{% set z = 1 %}{% macro m() %}{% set z = 2 %}{{ z }}{% endmacro %}{{ m() }}{{ z }}", "21"},
      {"{% macro m() %}  x  {% endmacro %}[{{ m() }}] {{ m()|trim }} {{ m() is string "
       "}} {{ m()|length }}",
       "[  x  ] x True 5"},
      {"{% for x in [1,2] %}{% macro m() %}{{ x }}{% endmacro %}{{ m() }}{% endfor %}", "12"},
      {"{% macro a() %}A{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}", "AB"},
      {"{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}{{ m(none) }}", "FalseTrue"},
      {"{% macro m(a='x') %}{{ a }}{% endmacro %}{{ m(zz) }}|{{ m(none) }}", "|None"},
      {"{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1, 2]) }}{{ m(**{'a': "
       "3, 'b': 4}) }}{{ m(1, **{'b': 5}) }}{{ m(*[1], b=2) }}",
       "12341512"},
      {"{% macro m() %}{% for x in [1,2,3] %}{% if x == 2 %}{% break %}{% endif %}{{ "
       "x }}{% endfor %}{% endmacro %}{{ m() }}",
       "1"},
      {"{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}{% call m() %}{% "
       "endcall %}",
       "FalseTrue"},
      {"{% macro outer() %}{% macro inner(x) %}<{{ x }}>{% endmacro %}{{ inner(1) "
       "}}{% endmacro %}{{ outer() }}{{ inner is defined }}",
       "<1>False"},
      {"{% set ns = namespace() %}{% macro m() %}{% set ns.x = 5 %}{% endmacro %}{{ "
       "m() }}{{ ns.x }}",
       "5"},
      {"{{ m is defined }}{% macro m() %}{% endmacro %}{{ m is defined }}{{ m is callable"
       " }}",
       "FalseTrueTrue"},
      {"{% macro m(a, a2=[1]) %}{{ a2 }}{% endmacro %}{{ m(1) }}", "[1]"},
      {"{% set f = s.upper %}{{ f() }}", "HELLO WORLD"},
      {"{% macro m(x) %}{{ x }}{% endmacro %}{{ m(m(m('a'))) }}", "a"},
      {"{% macro m(x=1) %}\n{{ x }}\n{% endmacro %}\n{{ m() }}", "1\n"},
      {"{% macro m(a, b=c) %}{{ b }}{% endmacro %}{% set c = 7 %}{{ m(1) }}", "7"},
      {"{% if true %}{% macro m() %}x{% endmacro %}{% endif %}{{ m() }}", "x"},
      {"{{ '<' ~ m() if m is defined else 'no' }}{% macro m() %}{% endmacro %}", "no"},
      {"{% macro m(x) %}{{ x }}{{ caller() }}{% endmacro %}{% call m('a') %}b{% endcall %}", "ab"},
      {"{% macro m(x) %}{{ caller(x, x) }}{% endmacro %}{% call(a, b=3) m(1) %}{{ "
       "a }}{{ b }}{% endcall %}{% call(a, b=3) m(1) %}{{ a + b }}{% endcall %}",
       "112"},
  });
}

TEST(EvaluatorCall, RefusesBadCalls) {
  expect_messages({
      {"{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}",
       "t:1: macro 'm' takes not more than 1 argument(s)"},
      {"{% macro m(a) %}{% endmacro %}{{ m(b=1) }}",
       "t:1: macro 'm' takes no keyword argument 'b'"},
      {"{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}",
       "t:1: macro 'm' takes no keyword argument 'a'"},
      {"{% macro m() %}{% endmacro %}{% call m() %}x{% endcall %}",
       "t:1: macro 'm' takes no keyword argument 'caller'"},
      {"{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}", "t:1: No caller defined"},
      {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
       "t:1: the template nests more than 1200 evaluations"},
      {"{% macro m(a) %}{{ a.b }}{% endmacro %}{{ m() }}", "t:1: parameter 'a' was not provided"},
      {"{{ m(*5) }}{% macro m() %}{% endmacro %}", "t:1: 'int' object is not iterable"},
      {"{% macro m() %}{% endmacro %}{{ m(**5) }}",
       "t:1: argument after ** must be a mapping, not int"},
      {"{% macro m() %}{% endmacro %}{{ m(**{1: 2}) }}", "t:1: keywords must be strings"},
      {"{% macro m() %}{% endmacro %}{{ m.foo.bar }}",
       "t:1: 'function object' has no attribute 'foo'"},
      {"{% call nope() %}{% endcall %}", "t:1: 'nope' is undefined"},
      {"{{ m() + 1 }}{% macro m() %}{% endmacro %}", "t:1: 'm' is undefined"},
      {"{% macro m() %}{% endmacro %}{{ m() + 1 }}",
       "t:1: can only concatenate str (not \"int\") to str"},
      {"{% macro m() %}{% endmacro %}{{ m(*[1]) }}",
       "t:1: macro 'm' takes not more than 0 argument(s)"},
  });
}

}  // namespace
}  // namespace invar::jinja

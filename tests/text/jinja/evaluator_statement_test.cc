// Statements: loops, assignments, blocks.
#include "text/jinja/evaluator.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(EvaluatorStatement, Loops) {
  expect_texts({
      {"{% for x in l %}{{ x }}{% endfor %}", "312"},
      {"{% for x in e %}x{% else %}empty{% endfor %}", "empty"},
      {"{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}", "a1"},
      {"{% for (a, b), c in [((1,2),3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "123"},
      {"{% for x in l %}{% break %}{% else %}{{ x is defined }}{{ loop is defined }}{% endfor %}",
       "FalseFalse"},
      {"{% for x in l %}{% continue %}{% else %}E{% endfor %}", "E"},
      {"{% for x in l %}{% if x == 1 %}{% break %}{% endif %}{% else %}E{% endfor %}", ""},
      {"{% for y in l %}{% for x in l %}{% break %}{% else %}{{ y }}{% break %}{% endfor %}"
       "{% endfor %}",
       "3"},
      {"{% for x in l if x > 99 %}x{% else %}none{% endfor %}", "none"},
      {"{% for x in range(5) %}{% if x == 1 %}{% continue %}{% endif %}{% if x == "
       "3 %}{% break %}{% endif %}{{ x }}{% endfor %}",
       "02"},
      {"{% for c in 'abé' %}{{ c }},{% endfor %}", "a,b,é,"},
      {"{% for k in d %}{{ k }} {% endfor %}", "a b items "},
      {"{% for x in 1, 2, 3 %}{{ x }}{% endfor %}", "123"},
      {"{% for x in l %}{% set y = x %}{% endfor %}{{ y is defined }}", "False"},
      {"{% for i in [1] %}{{ i }}{% endfor %}{{ i }}", "17"},
      {"{% for x in [] %}{% endfor %}{{ loop is defined }}", "False"},
      {"{% for x in range(3) %}{% set outer = loop %}{% for y in [1] %}{{ outer.index "
       "}}{% endfor %}{% endfor %}",
       "123"},
      {"{% for x in l[:2] %}{{ x }}{% endfor %}", "31"},
      {"{% for a, b in [(1,2),[3,4],'xy'] %}{{ a }}{{ b }} {% endfor %}", "12 34 xy "},
      {"{% for i in range(3) %}{% set s %}{{ i }}{% if i == 1 %}{% continue %}{% endif "
       "%}{% endset %}{{ s }};{% endfor %}",
       "0;2;"},
      {"{% for x in l %}{{ loop|length }}{% break %}{% endfor %}", "3"},
  });
}

TEST(EvaluatorStatement, Assigns) {
  expect_texts({
      {"{% set x = 1 %}{% for i in [1,2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}", "231"},
      {"{% set ns = namespace(x=1) %}{% for i in [1,2] %}{% set ns.x = ns.x + i %}{% "
       "endfor %}{{ ns.x }}",
       "4"},
      {"{% set a, b = 1, 2 %}{{ a }}{{ b }}", "12"},
      {"{% set (a, b) = (1, 2) %}{{ a }}{{ b }}", "12"},
      {"{% set x %}a{{ i }}b{% endset %}{{ x }}", "a7b"},
      {"{% set x | upper %}a{{ i }}b{% endset %}{{ x }}", "A7B"},
      {"{% set x | replace('a', 'z') | upper %}ab{% endset %}{{ x }}", "ZB"},
      {"{% set t = 1, 2 %}{{ t }}", "(1, 2)"},
      {"{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "2"},
      {"{% set x %}{% set y = 1 %}{% endset %}{{ y is defined }}", "False"},
      {"{% set a = 5 %}{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}", "155"},
      {"{% with %}{% set z = 1 %}{{ z }}{% endwith %}{{ z is defined }}", "1False"},
      {"{% generation %}x{{ i }}{% set q = 5 %}{% endgeneration %}{{ q == 5 }}", "x7False"},
      {"{% set i = i + 1 %}{{ i }}", "8"},
      {"{% set ns = namespace() %}{% set ns.a = 1 %}{% set ns.b, c = 2, 3 %}{{ ns.a "
       "}}{{ ns.b }}{{ c }}{{ ns.zz is defined }}{{ ns['a'] }}",
       "123False1"},
      {"{% set x = 'a' if b else 'c' %}{{ x }}", "a"},
      {"{% set x = namespace(a=[]) %}{% for i in l %}{% set x.a = x.a + [i] %}{% endfor "
       "%}{{ x.a }}",
       "[3, 1, 2]"},
  });
}

TEST(EvaluatorStatement, RunsTheOtherStatements) {
  expect_texts({
      {"{% if a is defined %}1{% elif i == 7 %}2{% else %}3{% endif %}", "2"},
      {"{% if false %}1{% elif false %}2{% else %}3{% endif %}", "3"},
      {"{% if true: %}x{% endif %}", "x"},
      {"{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}", "12False"},
      {"{% filter upper %}a{{ i }}b{% endfilter %}", "A7B"},
      {"{% filter replace('a', 'b') | upper %}aa{% endfilter %}", "BB"},
      {"{% print 1 + 1 %}", "2"},
      {"{% if l %}a{% endif %}{% if e %}b{% endif %}{% if d %}c{% endif %}{% if none "
       "%}d{% endif %}{% if 0.0 %}e{% endif %}{% if range(0) %}f{% endif %}{% if {}.items"
       "() %}g{% endif %}{% if namespace() %}h{% endif %}",
       "ach"},
  });
}

TEST(EvaluatorStatement, RefusesBadAssignmentsAndCalls) {
  expect_messages({
      {"{% set ns.x = 1 %}", "t:1: cannot assign attribute on non-namespace object 'ns'"},
      {"{% set d.x = 1 %}", "t:1: cannot assign attribute on non-namespace object 'd'"},
      {"{% for a, b in [1] %}{% endfor %}", "t:1: 'int' object is not iterable"},
      {"{% for a, b in [(1,2,3)] %}{% endfor %}", "t:1: cannot unpack 3 values into 2 names"},
      {"{% set a, b = 1 %}", "t:1: 'int' object is not iterable"},
      {"{{ f(**a, b) }}", "t:1: invalid syntax for function call expression"},
      {"{{ l() }}", "t:1: 'list' object is not callable"},
      {"{{ 5() }}", "t:1: 'int' object is not callable"},
  });
}

}  // namespace
}  // namespace invar::jinja

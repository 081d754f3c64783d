// Expressions, above all undefined values.
#include "text/jinja/evaluator.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(EvaluatorExpression, TreatsUndefinedValues) {
  expect_texts({
      {"[{{ x }}]", "[]"},
      {"{{ x is defined }}", "False"},
      {"{{ x is undefined }}", "True"},
      {"{{ x is none }}", "False"},
      {"{{ x ~ 'a' }}", "a"},
      {"{% for a in x %}y{% else %}none{% endfor %}", "none"},
      {"{{ x == y }}", "True"},
      {"{{ x == none }}", "False"},
      {"{{ x != 1 }}", "True"},
      {"{{ 1 if x else 2 }}", "2"},
      {"{{ d.zz }}|{{ d['zz'] }}|{{ l[10] }}|{{ s[100] }}|", "||||"},
      {"{{ x is string }}", "False"},
      {"{{ x is sequence }}", "True"},
      {"{{ x is iterable }}", "True"},
      {"{{ x is mapping }}", "False"},
      {"{{ x is callable }}", "True"},
      {"{{ x is number }}", "False"},
      {"{{ x in [1] }}", "False"},
      {"{{ 1 in x }}", "False"},
      {"{{ [x] }}", "[Undefined]"},
      {"{{ {'a': x} }}", "{'a': Undefined}"},
      {"{{ not x }}", "True"},
      {"{{ x or 'z' }}", "z"},
      {"{{ x and 'z' }}|", "|"},
      {"{{ d.append is defined }}", "False"},
      {"{{ l.append is defined }}", "False"},
      {"{{ d.items is defined }}", "True"},
      {"{{ l.pop is undefined }}", "True"},
      {"{{ s.nope is defined }}", "False"},
      {"{{ i.nope is defined }}", "False"},
      {"{{ none.foo is defined }}", "False"},
  });
}

TEST(EvaluatorExpression, FiltersUndefinedValues) {
  expect_texts({
      {"{{ x|default('d') }}", "d"},
      {"{{ d.zz|default('e') }}", "e"},
      {"{{ none|default('f') }}", "None"},
      {"{{ none|default('g', true) }}", "g"},
      {"{{ ''|default('h', boolean=true) }}", "h"},
      {"{{ x|length }}", "0"},
      {"{{ x|list }}", "[]"},
      {"{{ x|join(',') }}", ""},
      {"{{ x|upper }}", ""},
      {"{{ x|string }}|", "|"},
      {"{{ x|first is defined }}", "False"},
      {"{{ []|first is defined }}", "False"},
      {"{{ x|trim }}|", "|"},
      {"{{ x|map('upper')|list }}", "[]"},
      {"{{ x|select|list }}", "[]"},
      {"{{ x|sort }}", "[]"},
      {"{{ x|items|list }}", "[]"},
      {"{{ x|last }}|", "|"},
      {"{{ x|replace('a','b') }}|", "|"},
  });
}

TEST(EvaluatorExpression, RefusesBadSyntax) {
  expect_messages({
      {"{{ x|tojson is defined if false else 'k' }}",
       "t:1: expected the end of the print statement, got 'false'"},
      {"{{ x|int is defined if false }}|",
       "t:1: expected the end of the print statement, got 'false'"},
  });
}

TEST(EvaluatorExpression, RefusesToUseUndefinedValues) {
  expect_messages({
      {"{{ x.y }}", "t:1: 'x' is undefined"},
      {"{{ x['y'] }}", "t:1: 'x' is undefined"},
      {"{{ x() }}", "t:1: 'x' is undefined"},
      {"{{ x + 1 }}", "t:1: 'x' is undefined"},
      {"{{ 'a' + x }}", "t:1: 'x' is undefined"},
      {"{{ x < 1 }}", "t:1: 'x' is undefined"},
      {"{{ -x }}", "t:1: 'x' is undefined"},
      {"{{ x.y.z }}", "t:1: 'x' is undefined"},
      {"{{ d.zz.y }}", "t:1: 'dict object' has no attribute 'zz'"},
      {"{{ d.b.zz.y }}", "t:1: 'dict object' has no attribute 'zz'"},
      {"{{ l[10].a }}", "t:1: list object has no element 10"},
      {"{{ l.append(1) }}", "t:1: access to attribute 'append' of 'list' object is unsafe"},
      {"{{ d.pop('a') }}", "t:1: access to attribute 'pop' of 'dict' object is unsafe"},
      {"{{ d.update({}) }}", "t:1: access to attribute 'update' of 'dict' object is unsafe"},
      {"{{ x|tojson }}", "t:1: Object of type Undefined is not JSON serializable"},
      {"{{ x|int }}", "t:1: 'x' is undefined"},
      {"{{ x|float }}", "t:1: 'x' is undefined"},
      {"{{ none.foo.bar }}", "t:1: 'None' has no attribute 'foo'"},
      {"{{ s.nope() }}", "t:1: 'str object' has no attribute 'nope'"},
      {"{{ foo.bar() }}", "t:1: 'foo' is undefined"},
      {"{{ d.a() }}", "t:1: 'int' object is not callable"},
      {"{{ 'a' in 5 }}", "t:1: 'int' object is not iterable"},
      {"{{ 1 in none }}", "t:1: 'NoneType' object is not iterable"},
      {"{{ 1 in 'abc' }}", "t:1: 'in <string>' requires string as left operand, not int"},
      {"{% for x in 5 %}{% endfor %}", "t:1: 'int' object is not iterable"},
      {"{% for x in none %}{% endfor %}", "t:1: 'NoneType' object is not iterable"},
      {"{{ x is divisibleby 3 }}", "t:1: 'x' is undefined"},
      {"{{ x[1:] }}", "t:1: 'x' is undefined"},
      {"{{ {}['a']['b'] }}", "t:1: 'dict object' has no attribute 'a'"},
      {"{{ x * 2 }}", "t:1: 'x' is undefined"},
      {"{{ x % 2 }}", "t:1: 'x' is undefined"},
      {"{{ d[x].y }}", "t:1: dict object has no element Undefined"},
  });
}

}  // namespace
}  // namespace invar::jinja

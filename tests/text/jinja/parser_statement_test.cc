// Syntax of statements.
#include "text/jinja/parser.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(ParserStatement, RefusesBadStatements) {
  expect_messages({
      {"{% for x in l %}", "t:1: unexpected end of template, 'endfor' is missing"},
      {"{% if x %}", "t:1: unexpected end of template, 'endif' is missing"},
      {"{% endif %}", "t:1: unknown tag 'endif'"},
      {"{% else %}", "t:1: unknown tag 'else'"},
      {"{% foo %}", "t:1: unknown tag 'foo'"},
      {"{% set %}", "t:1: expected a name, got the end of the statement"},
      {"{% set x %}", "t:1: unexpected end of template, 'endset' is missing"},
      {"{% set 1 = 2 %}", "t:1: expected a name, got a number"},
      {"{% set none = 2 %}", "t:1: can't assign to 'none'"},
      {"{% for x %}{% endfor %}", "t:1: expected 'in', got the end of the statement"},
      {"{% for x in %}{% endfor %}", "t:1: expected an expression, got the end of the statement"},
      {"{% break %}", "t:1: 'break' outside of a loop"},
      {"{% continue %}", "t:1: 'continue' outside of a loop"},
      {"{% for x in l %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
       "t:1: 'break' outside of a loop"},
      {"{% macro m(a=1, b) %}{% endmacro %}", "t:1: non-default argument follows default argument"},
      {"{% macro m( %}{% endmacro %}", "t:1: unexpected '}', expected ')'"},
      {"{% macro %}{% endmacro %}", "t:1: expected a name, got the end of the statement"},
      {"{% call 5 %}{% endcall %}", "t:1: expected call"},
      {"{% if %}{% endif %}", "t:1: expected an expression, got the end of the statement"},
      {"{% if a b %}{% endif %}", "t:1: expected the end of the statement, got 'b'"},
      {"{% raw %}{% endif %}", "t:1: Missing end of raw directive"},
      {"{% with a %}{% endwith %}", "t:1: expected '=', got the end of the statement"},
      {"{% filter %}x{% endfilter %}", "t:1: expected a name, got the end of the statement"},
      {"{% filter nope %}x{% endfilter %}", "t:1: no filter named 'nope'"},
      {"{% endfor %}", "t:1: unknown tag 'endfor'"},
      {"{% if true %}{% endfor %}", "t:1: unknown tag 'endfor'"},
      {"{% set x = %}", "t:1: expected an expression, got the end of the statement"},
      {"{% for true in l %}{% endfor %}", "t:1: can't assign to 'true'"},
      {"{% for x in l if %}{% endfor %}",
       "t:1: expected an expression, got the end of the statement"},
      {"{% generation %}", "t:1: unexpected end of template, 'endgeneration' is missing"},
      {"{% do x %}", "t:1: unknown tag 'do'"},
      {"{% else if %}", "t:1: unknown tag 'else'"},
      {"{% if true %}{% else %}{% else %}{% endif %}", "t:1: unknown tag 'else'"},
      {"{% if true %}{% else %}{% elif %}{% endif %}", "t:1: unknown tag 'elif'"},
      {"{% macro m(a.b) %}{% endmacro %}", "t:1: expected ',', got '.'"},
      {"{% macro m((a, b)) %}{% endmacro %}", "t:1: the parameters of a macro are names"},
      {"{% 1 %}", "t:1: expected the name of a statement, got a number"},
      {"{% for x in l %}{% else %}{% break %}{% endfor %}", "t:1: 'break' outside of a loop"},
      {"{% for a.b in l %}{% endfor %}", "t:1: expected 'in', got '.'"},
  });
}

}  // namespace
}  // namespace invar::jinja

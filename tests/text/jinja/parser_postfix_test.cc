// Attributes, subscripts, calls, filters and tests as syntax.
#include "text/jinja/parser.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(ParserPostfix, RefusesUnknownNames) {
  expect_messages({
      {"{{ 1 is nope }}", "t:1: no test named 'nope'"},
      {"{% if true %}{{ 1 is nope }}{% endif %}", "t:1: no test named 'nope'"},
      {"{{ 1|nope }}", "t:1: no filter named 'nope'"},
      {"{% if false %}{% for a in [] %}{{ 1|nope }}{% endfor %}{% endif %}ok",
       "t:1: no filter named 'nope'"},
      {"{% if 1|nope %}{% endif %}", "t:1: no filter named 'nope'"},
      {"{% for x in [] %}{{ x|nope }}{% endfor %}", "t:1: no filter named 'nope'"},
      {"{{ [1]|map('nope')|list }}", "t:1: no filter named 'nope'"},
      {"{{ [1]|select('nope')|list }}", "t:1: no test named 'nope'"},
  });
}

TEST(ParserPostfix, FindsNamesAtTheRightTime) {
  expect_texts({
      {"{% if false %}{{ 1 is nope }}{% endif %}ok", "ok"},
      {"{{ 1|nope if false else 3 }}", "3"},
      {"{% if false %}{{ 1|nope }}{% endif %}ok", "ok"},
      {"{{ []|map('nope')|list }}", "[]"},
  });
}

TEST(ParserPostfix, RefusesBadExpressions) {
  expect_messages({
      {"{{ a. }}", "t:1: expected a name, got the end of the print statement"},
      {"{{ a[ }}", "t:1: unexpected '}', expected ']'"},
      {"{{ a[] }}", "t:1: expected an expression, got ']'"},
      {"{{ f(a=1, 2) }}", "t:1: invalid syntax for function call expression"},
      {"{{ f(*a, *b) }}", "t:1: invalid syntax for function call expression"},
      {"{{ a | }}", "t:1: expected a name, got the end of the print statement"},
      {"{{ a is }}", "t:1: expected a name, got the end of the print statement"},
      {"{{ (1 }}", "t:1: unexpected '}', expected ')'"},
      {"{{ [1, }}", "t:1: unexpected '}', expected ']'"},
      {"{{ 'a' is not }}", "t:1: expected a name, got the end of the print statement"},
      {"{{ x is y is z }}", "t:1: tests cannot be chained with is"},
      {"{{ x is defined is string }}", "t:1: tests cannot be chained with is"},
  });
}

TEST(ParserPostfix, Accepts) {
  expect_texts({
      {"{{ 1.a }}", ""},
  });
}

}  // namespace
}  // namespace invar::jinja

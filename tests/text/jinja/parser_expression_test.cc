// Precedence and syntax of expressions.
#include "text/jinja/parser.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(ParserExpression, OrdersArithmetic) {
  expect_texts({
      {"{{ 1 + 2 * 3 }}", "7"},  {"{{ (1 + 2) * 3 }}", "9"},    {"{{ 2 ** 3 ** 2 }}", "64"},
      {"{{ -2 ** 2 }}", "4"},    {"{{ 2 ** -1 }}", "0.5"},      {"{{ 'a' ~ 1 * 2 ~ 'b' }}", "a2b"},
      {"{{ 7 // 2 * 2 }}", "6"}, {"{{ 10 - 2 - 3 }}", "5"},     {"{{ 100 / 10 / 2 }}", "5.0"},
      {"{{ +3 }}", "3"},         {"{{ - 3 }}", "-3"},           {"{{ --3 }}", "3"},
      {"{{ 'a' * 3 }}", "aaa"},  {"{{ 3 * 'a' ~ 1 }}", "aaa1"}, {"{{ 1.0 // 0.3 }}", "3.0"},
      {"{{ 7 % 3 }}", "1"},      {"{{ -7 % 3 }}", "2"},         {"{{ 7 % -3 }}", "-2"},
      {"{{ -7 // 2 }}", "-4"},   {"{{ 7.5 // 2 }}", "3.0"},     {"{{ -7.5 % 2 }}", "0.5"},
      {"{{ 1 - -1 }}", "2"},     {"{{ 2*-3 }}", "-6"},
  });
}

TEST(ParserExpression, RefusesBadSyntax) {
  expect_messages({
      {"{{ 1 ~ 2 + 3 }}", "t:1: can only concatenate str (not \"int\") to str"},
      {"{{ 1 + 2 ~ 3 }}", "t:1: unsupported operand type(s) for +: 'int' and 'str'"},
      {"{{ a.b is defined }}", "t:1: 'a' is undefined"},
      {"{{ s is string is defined }}", "t:1: tests cannot be chained with is"},
  });
}

TEST(ParserExpression, OrdersLogicAndComparisons) {
  expect_texts({
      {"{{ not true or true }}", "True"},
      {"{{ not (true or true) }}", "False"},
      {"{{ true or false and false }}", "True"},
      {"{{ 1 < 2 < 3 }}", "True"},
      {"{{ 1 < 3 < 2 }}", "False"},
      {"{{ 1 == 1.0 }}", "True"},
      {"{{ 1 in [1] == true }}", "False"},
      {"{{ not 1 in [2] }}", "True"},
      {"{{ 1 not in [2] and 2 in [2] }}", "True"},
      {"{{ 'a' in s.lower() and 'x' not in s }}", "False"},
      {"{{ True and None }}", "None"},
      {"{{ 0 or 'x' }}", "x"},
      {"{{ 'a' < 'b' }}", "True"},
      {"{{ (s, i) == (s, 7) }}", "True"},
      {"{{ [1, 2] < [1, 3] }}", "True"},
      {"{{ not not i }}", "True"},
      {"{{ 'a' == 'a' != 'b' }}", "True"},
  });
}

TEST(ParserExpression, ReadsInlineConditions) {
  expect_texts({
      {"{{ 'x' if false }}", ""},
      {"{{ 'a' if b else 'c' if n else 'd' }}", "a"},
      {"{{ 'a' if false else 'c' if n else 'd' }}", "d"},
      {"{{ 1 if i is defined else 2 }}", "1"},
      {"{{ x.y if x else 'no' }}", "no"},
      {"{{ 'a'if b else'c' }}", "a"},
  });
}

TEST(ParserExpression, BindsFiltersAndTests) {
  expect_texts({
      {"{{ 'x' | upper ~ 'y' }}", "Xy"},
      {"{{ 'a' ~ 'b' | upper }}", "aB"},
      {"{{ ('a' ~ 'b') | upper }}", "AB"},
      {"{{ -5 | abs }}", "5"},
      {"{{ (-5) | abs }}", "5"},
      {"{{ i is odd and i > 3 }}", "True"},
      {"{{ not i is odd }}", "False"},
      {"{{ i is not odd }}", "False"},
      {"{{ 3 is divisibleby 3 }}", "True"},
      {"{{ i is divisibleby(7) }}", "True"},
      {"{{ 2 is in [1, 2] }}", "True"},
      {"{{ 'x' is string and true }}", "True"},
      {"{{ none is none }}", "True"},
      {"{{ 5 is eq 5 }}", "True"},
      {"{{ '' and 'x' }}|", "|"},
      {"{{ 'x'|length + 1 }}", "2"},
      {"{{ (1, 2)|length }}", "2"},
      {"{{ l is iterable and l is not string }}", "True"},
      {"{{ 1 is lt 2 }}", "True"},
  });
}

TEST(ParserExpression, ReadsDisplaysAndPostfixes) {
  expect_texts({
      {"{{ s.split()[0][1:].upper() }}", "ELLO"},
      {"{{ 1, 2 }}", "(1, 2)"},
      {"{{ (1,) }}", "(1,)"},
      {"{{ () }}", "()"},
      {"{{ [1, [2, (3,)], {'k': none}] }}", "[1, [2, (3,)], {'k': None}]"},
      {"{{ d['b']['c'][-1] }}", "20"},
      {"{{ {'a': 1}['a'] }}", "1"},
      {"{{ [1,2,3][1:] }}", "[2, 3]"},
      {"{{ 'abc'[::-1] }}", "cba"},
      {"{{ d.a + d['a'] }}", "2"},
      {"{{ dict(a=1).a }}", "1"},
  });
}

TEST(ParserExpression, RefusesBadExpressions) {
  expect_messages({
      {"{{ }}", "t:1: expected an expression, got the end of the print statement"},
      {"{{ 1 2 }}", "t:1: expected the end of the print statement, got a number"},
      {"{{ 1 + }}", "t:1: expected an expression, got the end of the print statement"},
      {"{{ {1} }}", "t:1: expected ':', got '}'"},
      {"{{ {1:} }}", "t:1: expected an expression, got '}'"},
      {"{{ a b }}", "t:1: expected the end of the print statement, got 'b'"},
  });
}

}  // namespace
}  // namespace invar::jinja

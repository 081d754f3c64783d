// Arithmetic and the other operators.
#include "text/jinja/operators.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Operators, Calculates) {
  expect_texts({
      {"{{ 1 / 2 }}", "0.5"},
      {"{{ 4 / 2 }}", "2.0"},
      {"{{ 0.1 + 0.2 }}", "0.30000000000000004"},
      {"{{ 2 ** 62 }}", "4611686018427387904"},
      {"{{ 2 ** 63 }}", "9223372036854775808"},
      {"{{ 2 ** 64 }}", "18446744073709551616"},
      {"{{ 2 ** 100 }}", "1267650600228229401496703205376"},
      {"{{ big }}", "18446744073709551615"},
      {"{{ big + 1 }}", "18446744073709551616"},
      {"{{ -big }}", "-18446744073709551615"},
      {"{{ true + true }}", "2"},
      {"{{ true * 3 }}", "3"},
      {"{{ +true }}", "1"},
      {"{{ -true }}", "-1"},
      {"{{ 7 // 2 }}", "3"},
      {"{{ -7 // 2 }}", "-4"},
      {"{{ 7 // -2 }}", "-4"},
      {"{{ 7.0 // 2 }}", "3.0"},
      {"{{ 0.0 // 5 }}", "0.0"},
      {"{{ -0.5 // 5 }}", "-1.0"},
      {"{{ 2 ** 0.5 }}", "1.4142135623730951"},
      {"{{ 2.0 ** 3 }}", "8.0"},
      {"{{ 2 ** -2 }}", "0.25"},
      {"{{ (-2.0) ** 3 }}|{{ 0.5 ** 2000 }}|{{ (1e308 * 10) ** 2 }}", "-8.0|0.0|inf"},
      {"{{ 0 ** 0 }}", "1"},
      {"{{ 5 % 3 }}", "2"},
      {"{{ -5 % 3 }}", "1"},
      {"{{ 5 % -3 }}", "-1"},
      {"{{ 5.5 % 2 }}", "1.5"},
      {"{{ -5.5 % 2 }}", "0.5"},
      {"{{ 4.0 % 2 }}", "0.0"},
      {"{{ -4.0 % 2 }}", "0.0"},
      {"{{ 4.0 % -2 }}", "-0.0"},
      {"{{ 'inf'|float }}", "inf"},
      {"{{ 'nan'|float }}", "nan"},
      {"{{ '-inf'|float }}", "-inf"},
      {"{{ 5 / 2 * 2 }}", "5.0"},
      {"{{ 9 / 3 }}", "3.0"},
      {"{{ f + 1 }}", "3.5"},
      {"{{ f * i }}", "17.5"},
      {"{{ i - f }}", "4.5"},
      {"{{ i / f }}", "2.8"},
      {"{{ 1e21 + 1 }}", "1e+21"},
  });
}

TEST(Operators, RefusesUnlikeTypes) {
  expect_messages({
      {"{{ 1 / 0 }}", "t:1: division by zero"},
      {"{{ 1 // 0 }}", "t:1: integer division or modulo by zero"},
      {"{{ 1 % 0 }}", "t:1: integer division or modulo by zero"},
      {"{{ 1.0 / 0 }}", "t:1: float division by zero"},
      {"{{ 1.0 % 0 }}", "t:1: float division by zero"},
      {"{{ 1 + 'a' }}", "t:1: unsupported operand type(s) for +: 'int' and 'str'"},
      {"{{ 'a' + 1 }}", "t:1: can only concatenate str (not \"int\") to str"},
      {"{{ 'a' - 1 }}", "t:1: unsupported operand type(s) for -: 'str' and 'int'"},
      {"{{ none + 1 }}", "t:1: unsupported operand type(s) for +: 'NoneType' and 'int'"},
      {"{{ [1] + (1,) }}", "t:1: can only concatenate list (not \"tuple\") to list"},
      {"{{ -'a' }}", "t:1: bad operand type for unary -: 'str'"},
      {"{{ 'a' * 'b' }}", "t:1: unsupported operand type(s) for *: 'str' and 'str'"},
      {"{{ 'a' * 1.5 }}", "t:1: unsupported operand type(s) for *: 'str' and 'float'"},
      {"{{ 0 ** -1 }}", "t:1: 0.0 cannot be raised to a negative power"},
      {"{{ 0.0 ** -1 }}", "t:1: 0.0 cannot be raised to a negative power"},
      {"{{ 10.0 ** 400 }}", "t:1: the power of a float is too large"},
      {"{{ l + 'x' }}", "t:1: can only concatenate list (not \"str\") to list"},
      {"{{ 's' + l }}", "t:1: can only concatenate str (not \"list\") to str"},
      {"{{ d + d }}", "t:1: unsupported operand type(s) for +: 'dict' and 'dict'"},
  });
}

}  // namespace
}  // namespace invar::jinja

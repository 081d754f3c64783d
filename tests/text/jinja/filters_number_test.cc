// Filters on numbers.
#include "text/jinja/filters.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(FiltersNumber, Sum) {
  expect_texts({
      {"{{ l|sum }}", "6"},
      {"{{ []|sum }}", "0"},
      {"{{ msgs[:2]|sum(attribute='n') }}", "3"},
      {"{{ [1.5,2]|sum }}", "3.5"},
      {"{{ [[1],[2]]|sum(start=[]) }}", "[1, 2]"},
      {"{{ l|sum(start=10) }}", "16"},
      {"{{ [[1,[2]],[3]]|sum(start=[])|list }}", "[1, [2], 3]"},
  });
}

TEST(FiltersNumber, RefusesBadInput) {
  expect_messages({
      {"{{ '1234567890123456789012345678901234567890'|int }}", "t:1: an integer is too large"},
      {"{{ 1e300|int }}", "t:1: an integer is too large"},
      {"{{ ['a']|sum }}", "t:1: unsupported operand type(s) for +: 'int' and 'str'"},
      {"{{ 'a'|abs }}", "t:1: bad operand type for unary -: 'str'"},
      {"{{ 'a'|round }}", "t:1: type str doesn't define __round__ method"},
      {"{{ 1|round(1, 'x') }}", "t:1: method must be common, ceil or floor"},
      {"{{ none|abs }}", "t:1: bad operand type for unary -: 'NoneType'"},
  });
}

TEST(FiltersNumber, Abs) {
  expect_texts({
      {"{{ -5|abs }}", "5"},
      {"{{ (-5)|abs }}", "5"},
      {"{{ (-2.5)|abs }}", "2.5"},
      {"{{ 3|abs }}", "3"},
      {"{{ true|abs }}", "1"},
  });
}

TEST(FiltersNumber, Int) {
  expect_texts({
      {"{{ '42'|int }}", "42"},
      {"{{ ' 42 '|int }}", "42"},
      {"{{ '4.7'|int }}", "4"},
      {"{{ 'x'|int }}", "0"},
      {"{{ 'x'|int(9) }}", "9"},
      {"{{ 3.99|int }}", "3"},
      {"{{ -3.99|int }}", "-3"},
      {"{{ (-3.99)|int }}", "-3"},
      {"{{ '0x1F'|int(base=16) }}", "31"},
      {"{{ '1F'|int(0, 16) }}", "31"},
      {"{{ none|int }}", "0"},
      {"{{ none|int(3) }}", "3"},
      {"{{ []|int }}", "0"},
      {"{{ true|int }}", "1"},
      {"{{ '1_000'|int }}", "1000"},
      {"{{ '1e3'|int }}", "1000"},
      {"{{ ''|int }}", "0"},
      {"{{ '-7'|int }}", "-7"},
      {"{{ '+7'|int }}", "7"},
      {"{{ '12345678901234567890123'|int }}", "12345678901234567890123"},
      {"{{ 'inf'|int }}", "0"},
      {"{{ 'nan'|int(8) }}", "8"},
      {"{{ '0b11'|int(base=2) }}", "3"},
      {"{{ '0o7'|int(base=0) }}", "7"},
  });
}

TEST(FiltersNumber, Float) {
  expect_texts({
      {"{{ '1.5'|float }}", "1.5"},
      {"{{ 'x'|float }}", "0.0"},
      {"{{ 'x'|float(2.5) }}", "2.5"},
      {"{{ 3|float }}", "3.0"},
      {"{{ none|float }}", "0.0"},
      {"{{ ' 1e3 '|float }}", "1000.0"},
      {"{{ '1_0.5'|float }}", "10.5"},
      {"{{ '.5'|float }}", "0.5"},
      {"{{ '5.'|float }}", "5.0"},
      {"{{ true|float }}", "1.0"},
      {"{{ 'Infinity'|float }}", "inf"},
      {"{{ '1e400'|float }}", "inf"},
      {"{{ '1e-400'|float }}", "0.0"},
      {"{{ '--1'|float }}", "0.0"},
      {"{{ 'nan(1)'|float }}", "0.0"},
  });
}

TEST(FiltersNumber, Round) {
  expect_texts({
      {"{{ 2.5|round }}", "2.0"},
      {"{{ 3.5|round }}", "4.0"},
      {"{{ 2.675|round(2) }}", "2.67"},
      {"{{ 2.34|round(1) }}", "2.3"},
      {"{{ 42|round }}", "42"},
      {"{{ 42.55|round(1, 'floor') }}", "42.5"},
      {"{{ 42.55|round(1, 'ceil') }}", "42.6"},
      {"{{ 42.1|round(method='ceil') }}", "43.0"},
      {"{{ 1234.5|round(-2) }}", "1200.0"},
      {"{{ 1e300|round(2) }}", "1e+300"},
      {"{{ 0.5|round }}", "0.0"},
      {"{{ 1.5|round }}", "2.0"},
      {"{{ -0.5|round }}", "-0.0"},
      {"{{ -1.5|round|int }}", "-2"},
      {"{{ 1.005|round(2) }}", "1.0"},
      {"{{ 5|round(1) }}", "5"},
      {"{{ true|round }}", "1"},
      {"{{ 1250|round(-2) }}", "1200"},
      {"{{ 1350|round(-2) }}", "1400"},
  });
}

TEST(FiltersNumber, Accepts) {
  expect_texts({
      {"{{ '1'|int(0, 99) }}", "1"},
  });
}

}  // namespace
}  // namespace invar::jinja

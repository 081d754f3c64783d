// The tests behind `is`.
#include "text/jinja/value_tests.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(ValueTests, AsksForKinds) {
  expect_texts({
      {"{{ 1 is number }}", "True"},
      {"{{ true is number }}", "True"},
      {"{{ 1.5 is number }}", "True"},
      {"{{ 'a' is number }}", "False"},
      {"{{ 1 is integer }}", "True"},
      {"{{ true is integer }}", "False"},
      {"{{ 1.0 is integer }}", "False"},
      {"{{ 1.0 is float }}", "True"},
      {"{{ 1 is float }}", "False"},
      {"{{ true is boolean }}", "True"},
      {"{{ 1 is boolean }}", "False"},
      {"{{ true is true }}", "True"},
      {"{{ false is false }}", "True"},
      {"{{ 1 is true }}", "False"},
      {"{{ false is true }}", "False"},
      {"{{ 's' is string }}", "True"},
      {"{{ [] is string }}", "False"},
      {"{{ [] is sequence }}", "True"},
      {"{{ {} is sequence }}", "True"},
      {"{{ () is sequence }}", "True"},
      {"{{ 's' is sequence }}", "True"},
      {"{{ 5 is sequence }}", "False"},
      {"{{ range(2) is sequence }}", "True"},
      {"{{ {}.keys() is sequence }}", "False"},
      {"{{ [1]|map('int') is sequence }}", "False"},
      {"{{ {} is mapping }}", "True"},
      {"{{ [] is mapping }}", "False"},
      {"{{ namespace() is mapping }}", "False"},
      {"{{ [] is iterable }}", "True"},
      {"{{ {} is iterable }}", "True"},
      {"{{ 's' is iterable }}", "True"},
      {"{{ 5 is iterable }}", "False"},
      {"{{ none is iterable }}", "False"},
      {"{{ {}.items() is iterable }}", "True"},
      {"{{ range(1) is iterable }}", "True"},
      {"{{ range is callable }}", "True"},
      {"{{ 5 is callable }}", "False"},
      {"{{ none is none }}", "True"},
      {"{{ 0 is none }}", "False"},
      {"{{ none is not none }}", "False"},
      {"{{ none is defined }}", "True"},
      {"{{ 0 is false }}", "False"},
      {"{{ none is false }}", "False"},
      {"{{ 'a' is string() }}", "True"},
      {"{{ s is defined() }}", "True"},
  });
}

TEST(ValueTests, AsksForProperties) {
  expect_texts({
      {"{{ s.upper is callable }}", "True"},
      {"{{ 3 is odd }}", "True"},
      {"{{ 3 is even }}", "False"},
      {"{{ 4 is even }}", "True"},
      {"{{ 9 is divisibleby(3) }}", "True"},
      {"{{ 'abc' is lower }}", "True"},
      {"{{ 'ABC' is upper }}", "True"},
      {"{{ 'Abc' is lower }}", "False"},
      {"{{ '1' is lower }}", "False"},
      {"{{ 5 is lower }}", "False"},
      {"{{ 'upper' is filter }}", "True"},
      {"{{ 'nope' is filter }}", "False"},
      {"{{ 'odd' is test }}", "True"},
      {"{{ 'nope' is test }}", "False"},
      {"{{ 'a' is escaped }}", "False"},
      {"{{ 'a'|safe is escaped }}", "True"},
  });
}

TEST(ValueTests, Compares) {
  expect_texts({
      {"{{ 1 is eq 1 }}", "True"},
      {"{{ 1 is ne 2 }}", "True"},
      {"{{ 1 is lt 2 }}", "True"},
      {"{{ 1 is le 1 }}", "True"},
      {"{{ 2 is gt 1 }}", "True"},
      {"{{ 2 is ge 2 }}", "True"},
      {"{{ 1 is equalto 1 }}", "True"},
      {"{{ 1 is lessthan 2 }}", "True"},
      {"{{ 3 is greaterthan 2 }}", "True"},
      {"{{ 1 is in [1] }}", "True"},
      {"{{ 'a' is in 'abc' }}", "True"},
      {"{{ 5 is not in [1] }}", "True"},
      {"{{ s is sameas s }}", "True"},
      {"{{ [] is sameas [] }}", "False"},
  });
}

TEST(ValueTests, RefusesBadArguments) {
  expect_messages({
      {"{{ 'a' is odd }}", "t:1: not all arguments converted during string formatting"},
      {"{{ 1 is divisibleby }}", "t:1: divisibleby() misses its argument 'num'"},
      {"{{ 1 is divisibleby 0 }}", "t:1: integer division or modulo by zero"},
      {"{{ 1 is lt 'a' }}", "t:1: '<' not supported between instances of 'int' and 'str'"},
      {"{{ 1 is defined 5 }}", "t:1: test() takes at most 0 arguments (1 given)"},
  });
}

}  // namespace
}  // namespace invar::jinja

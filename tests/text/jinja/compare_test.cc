// Equality, order, membership and truth.
#include "text/jinja/compare.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

TEST(Compare, ComparesNumbers) {
  expect_texts({
      {"{{ 1 == true }}", "True"},
      {"{{ 0 == false }}", "True"},
      {"{{ 1.0 == 1 }}", "True"},
      {"{{ 2 ** 53 + 1 == 2.0 ** 53 }}", "False"},
      {"{{ 2 ** 53 == 2.0 ** 53 }}", "True"},
      {"{{ 2 ** 53 + 1 > 2.0 ** 53 }}", "True"},
      {"{{ 1e300 > 2 ** 100 }}", "True"},
      {"{{ -1e300 < 5 }}", "True"},
      {"{{ 1 < 1.5 }}", "True"},
      {"{{ 2 > 1.5 }}", "True"},
      {"{{ 'inf'|float > 2**100 }}", "True"},
      {"{{ 'nan'|float == 'nan'|float }}", "False"},
      {"{{ 4 is sameas 4 }}", "True"},
      {"{{ true is sameas true }}", "True"},
      {"{{ none is sameas none }}", "True"},
      {"{{ 1 is sameas 1.0 }}", "False"},
  });
}

TEST(Compare, RefusesToOrderUnlikeTypes) {
  expect_messages({
      {"{{ 1 < 'a' }}", "t:1: '<' not supported between instances of 'int' and 'str'"},
      {"{{ none < 1 }}", "t:1: '<' not supported between instances of 'NoneType' and 'int'"},
      {"{{ {} < {} }}", "t:1: '<' not supported between instances of 'dict' and 'dict'"},
  });
}

TEST(Compare, KnowsTruth) {
  expect_texts({
      {"{{ [none, 0, 0.0, '', [], (), {}, range(0), {}.keys(), zz]|select|list }}", "[]"},
      {"{{ [1, -0.5, 'x', [0], (0,), {0: 0}, true]|reject|list }}", "[]"},
      {"{{ 'y' if namespace() }}{{ 'y' if range }}{{ 'y' if [0]|map('int') }}", "yyy"},
  });
}

TEST(Compare, ComparesContainers) {
  expect_texts({
      {"{{ [1, [2]] == [1.0, [2]] }} {{ [1] == (1,) }} {{ {} == [] }}", "True False False"},
      {"{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }} {{ {'a': 1} == {'a': 2} }}", "True False"},
      {"{{ {'a': 1} == {'b': 1} }} {{ {'a': 1} == {} }}", "False False"},
      {"{{ range(3) == range(0, 3) }} {{ range(0) == range(5, 5) }}", "True True"},
      {"{{ range(2) == range(3) }} {{ range(0, 4, 2) == range(0, 3, 2) }}", "False True"},
      {"{{ (1, 2) < (1, 3) }} {{ [] < [1] }} {{ [2] < [1, 9] }}", "True True False"},
      {"{{ range == range }} {{ s.upper == s.upper }}", "False False"},
      {"{{ d == d }} {{ x == x }} {{ none == false }}", "True True False"},
  });
}

TEST(Compare, ComparesLargeNumbersExactly) {
  Runtime runtime({});
  const auto is_less = [&](const Value& a, const Value& b) { return less(runtime, a, b); };
  const Value big = Value::of((Integer{1} << 53) + 1);
  EXPECT_TRUE(is_less(Value::of(0x1p53), big));
  EXPECT_FALSE(is_less(big, Value::of(0x1p53)));
  EXPECT_TRUE(is_less(big, Value::of(0x1p54)));
  EXPECT_TRUE(is_less(Value::of(-0x1p200), Value::of(Integer{0})));
  const Value most = Value::of(~(Integer{1} << 127));  // 2^127 - 1, which rounds to 2^127
  EXPECT_TRUE(is_less(most, Value::of(0x1p127)));
  EXPECT_FALSE(is_less(Value::of(0x1p127), most));
  EXPECT_FALSE(equal(runtime, most, Value::of(0x1p127)));
  const Value least = Value::of(Integer{1} << 127);  // -2^127
  EXPECT_TRUE(equal(runtime, least, Value::of(-0x1p127)));
}

}  // namespace
}  // namespace invar::jinja

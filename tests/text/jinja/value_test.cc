// Values and dicts.
#include "text/jinja/value.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Value, RefusesUnhashableKeys) {
  expect_messages({
      {"{{ {[]: 1} }}", "t:1: unhashable type: 'list'"},
      {"{{ {{}: 1} }}", "t:1: unhashable type: 'dict'"},
      {"{{ [] in {} }}", "t:1: unhashable type: 'list'"},
  });
}

TEST(Value, HasKinds) {
  EXPECT_TRUE(Value().is_undefined());
  EXPECT_EQ(Value().undefined_reason(), "");
  EXPECT_EQ(undefined_because("why").undefined_reason(), "why");
  EXPECT_TRUE(Value::of(true).is_integral() && Value::of(1.5).is_number());
  EXPECT_EQ(Value::of(true).number(), 1.0);
  EXPECT_FALSE(Value::of(1.5).is_integral());
  EXPECT_EQ(Value::literal("x").text(), "x");
  EXPECT_EQ(type_name(Value::of(int64_t{3})), "int");
  EXPECT_EQ(Value::none().depth(), 0);
}

TEST(Value, DictKeepsOrderAndReplaces) {
  DictObject dict;
  for (int i = 0; i < 100; ++i) {
    dict.set(Value::literal("key" + std::to_string(i)), Value::of(int64_t{i}));
    dict.set(Value::of(int64_t{i}), Value::none());
  }
  dict.set(Value::literal("key7"), Value::of(int64_t{700}));
  dict.set(Value::of(7.0), Value::of(true));  // the same key as 7
  ASSERT_EQ(dict.entries.size(), 200u);
  EXPECT_EQ(dict.entries[14].first.text(), "key7");
  EXPECT_TRUE(dict.find("key7")->integer() == 700);
  EXPECT_TRUE(dict.find(Value::of(int64_t{7}))->boolean());
  EXPECT_TRUE(dict.find(Value::literal("key99"))->integer() == 99);
  EXPECT_EQ(dict.find("key100"), nullptr);
  EXPECT_EQ(dict.find(Value::none()), nullptr);
}

TEST(Value, DictFindsKeysOfAllKinds) {
  EXPECT_EQ(render("{% set d = {1: 'i', 2.5: 'f', none: 'n', 'x': 't', (1, 'a'): 'p'} %}"
                   "{{ d[1] }}{{ d[1.0] }}{{ d[true] }}{{ d[2.5] }}{{ d[none] }}{{ d['x'] }}"
                   "{{ d[(1, 'a')] }}{{ d[(1, 'b')] }}{{ d['1'] }}"),
            "iiifntp");
}

TEST(Value, KnowsWhatIsHashable) {
  EXPECT_TRUE(is_hashable(Value::none()) && is_hashable(Value::literal("")));
  EXPECT_FALSE(is_hashable(Value()));
  EXPECT_EQ(render_error("{{ {((1,),): 2} }}"), "t:1: unhashable type: 'tuple'");
  EXPECT_EQ(hash_value(Value::of(1.0)), hash_value(Value::of(true)));
}

}  // namespace
}  // namespace invar::jinja

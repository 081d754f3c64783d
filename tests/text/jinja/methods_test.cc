// Finding methods: which exist, and which are hidden because they would change their receiver.
#include "text/jinja/methods.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

TEST(Methods, BelongToTheirTypes) {
  Runtime runtime({});
  const Value text = runtime.text("x");
  const Value list = runtime.list({});
  const Value dict = runtime.dict({});
  EXPECT_TRUE(method_of(runtime, text, "upper").has_value());
  EXPECT_TRUE(method_of(runtime, text, "split").has_value());
  EXPECT_TRUE(method_of(runtime, text, "isdigit").has_value());
  EXPECT_TRUE(method_of(runtime, list, "index").has_value());
  EXPECT_TRUE(method_of(runtime, runtime.tuple({}), "count").has_value());
  EXPECT_TRUE(method_of(runtime, dict, "items").has_value());
  EXPECT_FALSE(method_of(runtime, text, "items").has_value());
  EXPECT_FALSE(method_of(runtime, dict, "upper").has_value());
  EXPECT_FALSE(method_of(runtime, Value::none(), "upper").has_value());
  EXPECT_FALSE(method_of(runtime, text, "__class__").has_value());
}

TEST(Methods, DoNotChangeTheirReceiver) {
  for (const std::string name :
       {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}) {
    EXPECT_EQ(render_error("{{ [1]." + name + "() }}"),
              "t:1: access to attribute '" + name + "' of 'list' object is unsafe");
  }
  for (const std::string name : {"clear", "pop", "popitem", "setdefault", "update"}) {
    EXPECT_EQ(render_error("{{ {}." + name + "() }}"),
              "t:1: access to attribute '" + name + "' of 'dict' object is unsafe");
    EXPECT_EQ(render("{{ {}." + name + " is defined }}"), "False");
  }
}

}  // namespace
}  // namespace invar::jinja

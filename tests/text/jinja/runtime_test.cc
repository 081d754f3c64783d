// Bounds, messages and the making of values.
#include "text/jinja/runtime.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

Runtime::Options small_options() {
  Runtime::Options options;
  options.template_name = "t";
  options.limits = {.source_bytes = 100,
                    .nesting_depth = 10,
                    .evaluation_depth = 2,
                    .steps = 100,
                    .text_bytes = 4,
                    .live_bytes = 4000,
                    .range_length = 5,
                    .value_depth = 3,
                    .retained_objects = 1};
  return options;
}

TEST(Runtime, SaysWhere) {
  Runtime runtime(small_options());
  runtime.set_line(7);
  EXPECT_EQ(error_of([&] { runtime.fail("no {}", 1); }), "t:7: no 1");
  EXPECT_EQ(error_of([&] { runtime.fail_unsupported("not yet"); }), "t:7: not yet");
  EXPECT_EQ(error_of([&] { runtime.require_defined(Value::none()); }), "no error");
  EXPECT_EQ(error_of([&] { runtime.require_defined(Value()); }), "t:7: a value is undefined");
  EXPECT_EQ(error_of([&] { runtime.require_defined(undefined_because("x is not there")); }),
            "t:7: x is not there");
}

TEST(Runtime, CountsSteps) {
  Runtime runtime(small_options());
  runtime.step(80);
  runtime.charge_text(10 * kBytesPerStep);
  runtime.charge_items(10 * kItemsPerStep);
  EXPECT_EQ(runtime.steps(), 100);
  EXPECT_EQ(error_of([&] { runtime.step(); }), "t:1: the template takes more than 100 steps");
}

TEST(Runtime, BoundsTheDepthOfEvaluation) {
  Runtime runtime(small_options());
  const DepthGuard first(runtime);
  {
    const DepthGuard second(runtime);
    EXPECT_EQ(error_of([&] { const DepthGuard third(runtime); }),
              "t:1: the template nests more than 2 evaluations");
  }
  EXPECT_EQ(error_of([&] { const DepthGuard second(runtime); }), "no error");
}

TEST(Runtime, BoundsTexts) {
  Runtime runtime(small_options());
  EXPECT_EQ(runtime.text("abcd").text(), "abcd");
  EXPECT_EQ(error_of([&] { runtime.text("abcde"); }), "t:1: a text is longer than 4 bytes");
  TextBuilder builder(runtime);
  builder.append("abc");
  builder.append('d');
  EXPECT_EQ(error_of([&] { builder.append('e'); }), "t:1: a text is longer than 4 bytes");
  EXPECT_EQ(builder.str(), "abcd");
  EXPECT_EQ(builder.take_value().text(), "abcd");
  EXPECT_EQ(builder.str(), "");
}

TEST(Runtime, MetersWhatIsAlive) {
  Runtime runtime(small_options());
  const int64_t before = runtime.live_bytes();
  {
    const Value text = runtime.text("ab");
    const Value list = runtime.list({text, text, Value::none()});
    TextBuilder builder(runtime);
    builder.append("abc");
    EXPECT_GT(runtime.live_bytes(), before + 3);
  }
  EXPECT_EQ(runtime.live_bytes(), before);
  EXPECT_EQ(error_of([&] { runtime.list(std::vector<Value>(200)); }),
            "t:1: the template's values take more than 4000 bytes");
  EXPECT_EQ(error_of([&] { runtime.check_item_count(1'000'000); }),
            "t:1: the template's values take more than 4000 bytes");
  EXPECT_EQ(error_of([&] { runtime.check_item_count(10); }), "no error");
}

TEST(Runtime, BoundsTheDepthOfValues) {
  Runtime runtime(small_options());
  const Value one = runtime.list({});
  const Value two = runtime.dict({{Value::of(true), one}});
  const Value three = runtime.tuple({two});
  EXPECT_EQ(three.depth(), 3);
  const std::string message = "t:1: values are nested more than 3 deep";
  EXPECT_EQ(error_of([&] { runtime.list({three}); }), message);
  EXPECT_EQ(error_of([&] { runtime.dict({{Value::none(), three}}); }), message);
  EXPECT_EQ(error_of([&] { runtime.iterator({three}); }), message);
  EXPECT_EQ(error_of([&] { runtime.group(Value::none(), three); }), message);
  EXPECT_EQ(error_of([&] { runtime.callable("f", nullptr, three); }), message);
  EXPECT_EQ(error_of([&] { runtime.loop(std::make_shared<std::vector<Value>>(1, three)); }),
            message);
}

TEST(Runtime, MakesRanges) {
  Runtime runtime(small_options());
  const auto length = [&](Integer start, Integer stop, Integer step) {
    return runtime.range(start, stop, step).range().length;
  };
  EXPECT_EQ(length(0, 5, 1), 5);
  EXPECT_EQ(length(5, 0, -2), 3);
  EXPECT_EQ(length(5, 0, 1), 0);
  EXPECT_EQ(length(0, 5, -1), 0);
  EXPECT_EQ(length(0, Integer{1} << 100, Integer{1} << 99), 2);
  EXPECT_EQ(error_of([&] { length(0, 6, 1); }), "t:1: a range is longer than 5");
  EXPECT_EQ(error_of([&] { length(0, 6, 0); }), "t:1: range() arg 3 must not be zero");
  EXPECT_EQ(error_of([&] { length(0, Integer{1} << 101, 1); }),
            "t:1: a bound of range() is too large");
}

TEST(Runtime, RetainsNamespacesUntilTheEnd) {
  Runtime runtime(small_options());
  const Value space = runtime.name_space({{"a", Value::of(true)}});
  space.name_space().set("self", space);  // freed nevertheless
  EXPECT_TRUE(space.name_space().find("a")->boolean());
  EXPECT_EQ(space.name_space().find("b"), nullptr);
  EXPECT_EQ(error_of([&] { runtime.name_space({}); }),
            "t:1: the template makes more than 1 macros and namespaces");
}

}  // namespace
}  // namespace invar::jinja

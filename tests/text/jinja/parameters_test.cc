// Arguments of a call, bound to names.
#include "text/jinja/parameters.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

TEST(Parameters, BindsByPositionAndName) {
  Runtime runtime({});
  const Arguments arguments{{Value::of(Integer{1})}, {{"c", runtime.text("x")}}};
  const Parameters parameters(runtime, "f", arguments, {"a", "b", "c"});
  EXPECT_TRUE(parameters.at(0).integer() == 1);
  EXPECT_EQ(parameters.find(1), nullptr);
  EXPECT_EQ(parameters.text(2), "x");
  EXPECT_TRUE(parameters.get(1, Value::none()).is_none());
  EXPECT_TRUE(parameters.truth(0, false));
  EXPECT_TRUE(parameters.truth(1, true));
  EXPECT_TRUE(parameters.integer(1, 5) == 5);
  EXPECT_EQ(parameters.text(1, "d"), "d");
}

TEST(Parameters, ClampsCounts) {
  Runtime runtime({});
  const Arguments arguments{{Value::of(Integer{1} << 100), Value::of(-(Integer{1} << 100))}, {}};
  const Parameters parameters(runtime, "f", arguments, {"a", "b"});
  EXPECT_EQ(parameters.count(0, 0), INT32_MAX);
  EXPECT_EQ(parameters.count(1, 0), INT32_MIN);
}

TEST(Parameters, RefusesWhatDoesNotFit) {
  Runtime runtime({.template_name = "t", .limits = {}, .now = {}, .parts_as_text = false});
  const Value one = Value::of(Integer{1});
  const auto bind = [&](const Arguments& arguments) {
    return error_of([&] { Parameters(runtime, "f", arguments, {"a"}); });
  };
  EXPECT_EQ(bind({{one, one}, {}}), "t:1: f() takes at most 1 arguments (2 given)");
  EXPECT_EQ(bind({{}, {{"z", one}}}), "t:1: f() got an unexpected keyword argument 'z'");
  EXPECT_EQ(bind({{one}, {{"a", one}}}), "t:1: f() got multiple values for argument 'a'");

  const Arguments arguments{{one, Value(), runtime.text("x")}, {}};
  const Parameters parameters(runtime, "f", arguments, {"a", "b", "c", "d"});
  EXPECT_EQ(error_of([&] { parameters.at(3); }), "t:1: f() misses its argument 'd'");
  EXPECT_EQ(error_of([&] { (void)parameters.text(0); }),
            "t:1: f(): argument 'a' must be a string, not int");
  EXPECT_EQ(error_of([&] { (void)parameters.text(1); }), "t:1: a value is undefined");
  EXPECT_EQ(error_of([&] { (void)parameters.integer(2, 0); }),
            "t:1: f(): argument 'c' must be an integer, not str");
  EXPECT_EQ(error_of([&] { (void)parameters.integer(1, 0); }), "t:1: a value is undefined");
}

}  // namespace
}  // namespace invar::jinja

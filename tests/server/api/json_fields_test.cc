// Typed access to the fields of a JSON object.
#include "server/api/json_fields.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"

namespace invar {
namespace {

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class JsonFieldsTest : public testing::Test {
 protected:
  const nlohmann::json object_ = nlohmann::json::parse(R"({
    "text": "a", "yes": true, "two": 2, "half": 0.5, "huge": 18446744073709551615, "none": null,
    "list": [], "minus": -3, "exponent": 1e3})");
  JsonFields fields_{object_, "in."};
};

TEST_F(JsonFieldsTest, ReadsValues) {
  EXPECT_EQ(fields_.string("text"), "a");
  EXPECT_EQ(fields_.boolean("yes"), true);
  EXPECT_EQ(fields_.integer("two", {.min = 0, .max = 2}), 2);
  EXPECT_EQ(fields_.integer("minus", {.min = -3, .max = 2}), -3);
  EXPECT_EQ(fields_.number("two", {.min = 0, .max = 2}), 2.0);
  EXPECT_EQ(fields_.number("half", {.min = 0, .max = 2}), 0.5);
  EXPECT_EQ(fields_.number("exponent", {.min = 0, .max = 1000}), 1000.0);
}

TEST_F(JsonFieldsTest, NullIsAbsent) {
  for (const char* name : {"none", "not there"}) {
    EXPECT_EQ(fields_.find(name), nullptr);
    EXPECT_EQ(fields_.string(name), std::nullopt);
    EXPECT_EQ(fields_.boolean(name), std::nullopt);
    EXPECT_EQ(fields_.integer(name, {.min = 0, .max = 0}), std::nullopt);
    EXPECT_EQ(fields_.number(name, {.min = 0, .max = 0}), std::nullopt);
  }
  EXPECT_EQ(error_of([&] { fields_.get("none", "a shoe"); }),
            "in.none: expected a shoe, found none");
}

TEST_F(JsonFieldsTest, SaysWhatIsWrong) {
  const auto integer = [&](const char* name) {
    return error_of([&] { static_cast<void>(fields_.integer(name, {.min = 0, .max = 1})); });
  };
  const auto number = [&](const char* name, bool min_excluded) {
    return error_of([&] {
      static_cast<void>(fields_.number(name, {.min = 0.5, .max = 1, .min_excluded = min_excluded}));
    });
  };
  EXPECT_EQ(error_of([&] { static_cast<void>(fields_.string("two")); }),
            "in.two: expected a string, found an integer");
  EXPECT_EQ(error_of([&] { static_cast<void>(fields_.boolean("text")); }),
            "in.text: expected a boolean, found a string");
  EXPECT_EQ(integer("half"),
            "in.half: expected an integer of 64 bits, without a fraction, found 0.5");
  EXPECT_EQ(integer("exponent"),
            "in.exponent: expected an integer of 64 bits, without a fraction, found 1000.0");
  EXPECT_EQ(integer("two"), "in.two: expected 0 to 1, found 2");
  EXPECT_EQ(integer("minus"), "in.minus: expected 0 to 1, found -3");
  EXPECT_EQ(integer("huge"), "in.huge: expected 0 to 1, found 18446744073709551615");
  EXPECT_EQ(number("list", false), "in.list: expected a number, found a list");
  EXPECT_EQ(number("two", false), "in.two: expected from 0.5 to 1, found 2");
  EXPECT_EQ(number("half", false), "no error");
  EXPECT_EQ(number("half", true), "in.half: expected above 0.5 to 1, found 0.5");
}

TEST_F(JsonFieldsTest, OnlyObjectsHaveFields) {
  const nlohmann::json list = nlohmann::json::array();
  EXPECT_EQ(error_of([&] { JsonFields(list, ""); }), "body: expected an object, found a list");
  EXPECT_EQ(error_of([&] { JsonFields(list, "a.b."); }), "a.b: expected an object, found a list");
}

TEST_F(JsonFieldsTest, WhatNobodyReadIsRefused) {
  const nlohmann::json object = {{"a", 1}, {"b", nullptr}, {"c", 1}};
  JsonFields fields(object, "");
  EXPECT_NE(fields.find("a"), nullptr);
  EXPECT_EQ(error_of([&] { fields.refuse_unread(); }), "b: this field is not supported");
  EXPECT_EQ(fields.find("b"), nullptr);
  EXPECT_NE(fields.find("c"), nullptr);
  EXPECT_EQ(error_of([&] { fields.refuse_unread(); }), "no error");
}

TEST_F(JsonFieldsTest, NamesEveryKind) {
  const nlohmann::json values = nlohmann::json::parse(R"([null, {}, [], "", true, 1.5, 1, -1])");
  std::string kinds;
  for (const nlohmann::json& value : values) {
    kinds += std::string(json_kind(value)) + "; ";
  }
  EXPECT_EQ(
      kinds,
      "null; an object; a list; a string; a boolean; a number with a fraction or an exponent; "
      "an integer; an integer; ");
}

}  // namespace
}  // namespace invar

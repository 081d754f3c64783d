// Typed access to JSON and what it says when the type is another.
#include "text/json_node.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

constexpr std::string_view kJson = R"({"s": "text", "e": "é", "i": 7, "d": 1.5, "t": true,
  "n": null, "a": [1, "x"], "o": {"k": 18446744073709551615}})";

class JsonNodeTest : public testing::Test {
 protected:
  JsonNode root() {
    padded_ = simdjson::padded_string(kJson);
    return JsonNode(parser_.parse(padded_), "f.json:");
  }

  simdjson::padded_string padded_;
  simdjson::dom::parser parser_;
};

TEST_F(JsonNodeTest, ReadsEachType) {
  const JsonNode node = root();
  EXPECT_EQ(node.get("s").string(), "text");
  EXPECT_TRUE(node.get("e").character() == U'é');
  EXPECT_EQ(node.get("i").integer(), 7);
  EXPECT_EQ(node.get("d").number(), 1.5);
  EXPECT_EQ(node.get("i").number(), 7.0);
  EXPECT_TRUE(node.get("t").boolean());
  EXPECT_EQ(node.get("a").items()[1].string(), "x");
  EXPECT_EQ(node.get("o").object().size(), 1u);
  EXPECT_EQ(node.get("a").array().size(), 2u);
  EXPECT_FALSE(node.find("n").has_value());
  EXPECT_FALSE(node.find("missing").has_value());
  EXPECT_TRUE(node.boolean_or("missing", true));
  EXPECT_TRUE(node.boolean_or("t", false));
  EXPECT_EQ(node.string_or("missing", "x"), "x");
  EXPECT_EQ(node.string_or("s", "x"), "text");
  EXPECT_TRUE(node.get("s").is_string());
  EXPECT_TRUE(node.get("a").is_array());
}

TEST_F(JsonNodeTest, SaysWhereAndWhatItFound) {
  const JsonNode node = root();
  const auto refused = [](auto action, const std::string& message) {
    expect_error(action, Code::kBadFile, message);
  };
  refused([&] { node.get("n"); }, "f.json: expected a field 'n', found none");
  refused([&] { node.get("o").get("x"); }, "f.json: o: expected a field 'x', found none");
  refused([&] { node.get("i").string(); }, "f.json: i: expected a string, found 7");
  refused([&] { node.get("s").boolean(); }, "f.json: s: expected true or false, found 'text'");
  refused([&] { node.get("d").integer(); }, "f.json: d: expected an integer, found 1.5");
  refused([&] { node.get("t").number(); }, "f.json: t: expected a number, found true");
  refused([&] { node.get("a").object(); }, "f.json: a: expected an object, found an array");
  refused([&] { node.get("o").array(); }, "f.json: o: expected an array, found an object");
  refused([&] { node.get("o").get("k").integer(); },
          "f.json: o.k: expected an integer, found 18446744073709551615");
  refused([&] { node.get("a").items()[1].integer(); },
          "f.json: a[1]: expected an integer, found 'x'");
  refused([&] { node.get("s").character(); }, "f.json: s: expected one character, found 'text'");
  expect_error([&] { node.get("s").unsupported("a known thing"); }, Code::kUnsupported,
               "f.json: s: expected a known thing, found 'text'");
}

TEST_F(JsonNodeTest, TokenIdsAreInRange) {
  const auto node = [&](std::string_view json) {
    padded_ = simdjson::padded_string(json);
    return JsonNode(parser_.parse(padded_), "f.json: id");
  };
  EXPECT_EQ(node("0").token_id(), 0);
  EXPECT_EQ(node("8388607").token_id(), 8388607);
  for (const std::string bad : {"-1", "8388608", "9223372036854775808", "1.0", "true", "null"}) {
    expect_error([&] { node(bad).token_id(); }, Code::kBadFile,
                 "f.json: id: expected a token id from 0 to 8388607, found " + bad);
  }
}

}  // namespace
}  // namespace invar

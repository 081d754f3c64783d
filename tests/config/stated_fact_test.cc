// Statements of one fact: they may repeat each other, and refuse the file where they differ.
#include "config/stated_fact.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

const ConfigReader kReader("config.json", nlohmann::json::object());

TEST(StatedFact, TakesWhatIsStated) {
  StatedFact<int64_t> fact;
  EXPECT_FALSE(fact.value());
  EXPECT_EQ(fact.value_or(7), 7);
  fact.add(kReader, {"a", ""}, std::nullopt);
  fact.add(kReader, {"b", ""}, 3);
  fact.add(kReader, {"c", ""}, 3);
  EXPECT_EQ(fact.value(), 3);
  EXPECT_EQ(fact.value_or(7), 3);
}

TEST(StatedFact, NamesBothKeysOfADifference) {
  StatedFact<std::string> fact;
  fact.add(kReader, {"a", ""}, "x");
  const ConfigReader inner("config.json: inner", nlohmann::json::object());
  expect_error(
      [&] {
        fact.add(inner, {"b", ""}, "y");
      },
      Code::kBadFile,
      "config.json: inner: key 'b': expected \"x\" (as config.json: key 'a' states), "
      "found \"y\"");
}

TEST(StatedFact, NamesTheFirstLayerThatDiffers) {
  const auto add = [](const std::vector<bool>& second) {
    StatedFact<std::vector<bool>> fact;
    fact.add(kReader, {"a", ""}, std::vector<bool>{false, true, false});
    fact.add(kReader, {"b", ""}, second);
  };
  const std::string b = "config.json: key 'b': expected ";
  const std::string a = " (as config.json: key 'a' states), found ";
  add({false, true, false});
  expect_error(
      [&] {
        add({false, false, true});
      },
      Code::kBadFile, b + "attention in layer 1" + a + "none there");
  expect_error(
      [&] {
        add({false, true, true});
      },
      Code::kBadFile, b + "no attention in layer 2" + a + "it there");
  expect_error([&] { add({false}); }, Code::kBadFile, b + "3 layers" + a + "1");
}

}  // namespace
}  // namespace invar

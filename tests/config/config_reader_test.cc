// Typed access to config.json and GGUF metadata: what is accepted, and the text of every refusal.
#include "config/config_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "formats/gguf_writer.h"

namespace invar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ConfigReader reader_of(const std::string& text) {
  return {"config.json", nlohmann::json::parse(text)};
}

// Reads GGUF metadata that `fill` wrote for the architecture "llama".
class GgufMetadata {
 public:
  template <class Fill>
  explicit GgufMetadata(Fill fill) {
    GgufWriter writer;
    writer.add_string("general.architecture", "llama");
    fill(writer);
    bytes_ = writer.build();
    file_.emplace(GgufFile::parse("m.gguf", bytes_of(bytes_)));
  }
  ConfigReader reader() const { return ConfigReader(*file_); }

 private:
  std::string bytes_;
  std::optional<GgufFile> file_;
};

TEST(ConfigReader, ReadsEveryKindOfValue) {
  ConfigReader reader = reader_of(R"({
    "model_type": "llama", "size": 7, "rate": 0.5, "whole": 3, "on": true, "name": "x",
    "one": 2, "many": [1, 2], "names": ["a", "b"], "inner": {"depth": 1}, "nothing": null})");
  EXPECT_FALSE(reader.is_gguf());
  EXPECT_EQ(reader.label(), "config.json");
  EXPECT_EQ(reader.architecture(), "llama");
  EXPECT_EQ(reader.get_integer({"size", "other"}, {0, 10}), 7);
  EXPECT_EQ(reader.find_integer({"absent", ""}, {0, 10}), std::nullopt);
  EXPECT_EQ(reader.find_integer({"nothing", ""}, {0, 10}), std::nullopt);
  EXPECT_EQ(reader.find_integer({"", "size"}, {0, 10}), std::nullopt);  // no such key here
  EXPECT_EQ(reader.get_number({"rate", ""}), 0.5);
  EXPECT_EQ(reader.find_number({"whole", ""}), 3.0);
  EXPECT_EQ(reader.find_boolean({"on", ""}), true);
  EXPECT_EQ(reader.find_string({"name", ""}), "x");
  EXPECT_THAT(reader.integers({"one", ""}), ElementsAre(2));
  EXPECT_THAT(reader.integers({"many", ""}), ElementsAre(1, 2));
  EXPECT_THAT(reader.integers({"absent", ""}), IsEmpty());
  EXPECT_THAT(reader.strings({"names", ""}), ElementsAre("a", "b"));
  EXPECT_THAT(reader.strings({"absent", ""}), IsEmpty());
  EXPECT_THAT(reader.kinds("names", {"a", "b"}, "b"), ElementsAre(false, true));
  EXPECT_THAT(reader.kinds("absent", {"a", "b"}, "b"), IsEmpty());
  EXPECT_TRUE(reader.has({"size", ""}));
  EXPECT_FALSE(reader.has({"nothing", ""}));
  EXPECT_FALSE(reader.has({"", "size"}));
  auto inner = reader.object("inner");
  ASSERT_TRUE(inner.has_value());
  EXPECT_EQ(inner->label(), "config.json: inner");
  EXPECT_EQ(inner->get_integer({"depth", ""}, {0, 1}), 1);
  EXPECT_FALSE(reader.object("nothing").has_value());
  reader.refuse_unread();  // everything was read
  inner->refuse_unread();
}

TEST(ConfigReader, RefusesWrongTypesByKey) {
  ConfigReader reader = reader_of(R"({
    "text": "seven", "size": 11, "negative": -1, "part": 7.5, "huge": 18446744073709551615,
    "list": [1, "a"], "mixed": ["a", 1], "object": {}})");
  const auto refuse = [](auto action, const std::string& message) {
    expect_error(action, Code::kBadFile, "config.json: key " + message);
  };
  constexpr IntegerRange kRange{0, 10};
  refuse(
      [&] {
        reader.get_integer({"text", ""}, kRange);
      },
      "'text': expected an integer from 0 to 10, found \"seven\"");
  refuse(
      [&] {
        reader.get_integer({"size", ""}, kRange);
      },
      "'size': expected an integer from 0 to 10, found 11");
  refuse(
      [&] {
        reader.find_integer({"negative", ""}, kRange);
      },
      "'negative': expected an integer from 0 to 10, found -1");
  refuse(
      [&] {
        reader.get_integer({"part", ""}, kRange);
      },
      "'part': expected an integer from 0 to 10, found 7.5");
  refuse(
      [&] {
        reader.get_integer({"huge", ""}, {INT64_MIN, INT64_MAX});
      },
      "'huge': expected an integer from -9223372036854775808 to 9223372036854775807, found "
      "18446744073709551615");
  refuse(
      [&] {
        reader.get_integer({"absent", ""}, kRange);
      },
      "'absent': expected an integer from 0 to 10, found nothing");
  refuse([&] { reader.find_number({"text", ""}); }, "'text': expected a number, found \"seven\"");
  refuse([&] { reader.get_number({"absent", ""}); }, "'absent': expected a number, found nothing");
  refuse([&] { reader.find_boolean({"size", ""}); }, "'size': expected true or false, found 11");
  refuse([&] { reader.find_string({"size", ""}); }, "'size': expected a string, found 11");
  refuse(
      [&] {
        reader.integers({"list", ""});
      },
      "'list': expected an integer or a list of integers, found [1,\"a\"]");
  refuse(
      [&] {
        reader.integers({"huge", ""});
      },
      "'huge': expected an integer or a list of integers, found 18446744073709551615");
  refuse([&] { reader.object("size"); }, "'size': expected an object, found 11");
  refuse([&] { reader.architecture(); }, "'model_type': expected a string, found nothing");
}

TEST(ConfigReader, RefusesWrongListsByKey) {
  ConfigReader reader =
      reader_of(R"({"model_type": "x", "mixed": ["a", 1], "text": "seven", "object": {}})");
  const auto refuse = [&](auto action, const std::string& message) {
    expect_error(action, Code::kBadFile, "config.json: key " + message);
  };
  refuse(
      [&] {
        reader.strings({"mixed", ""});
      },
      "'mixed': expected a list of strings, found [\"a\",1]");
  refuse(
      [&] {
        reader.strings({"text", ""});
      },
      "'text': expected a list of strings, found \"seven\"");
  refuse([&] { reader.strings({"object", ""}); }, "'object': expected a list of strings, found {}");
  refuse(
      [&] {
        reader.booleans({"mixed", ""});
      },
      "'mixed': expected a list of true and false, found [\"a\",1]");
  refuse(
      [&] {
        reader.booleans({"text", ""});
      },
      "'text': expected a list of true and false, found \"seven\"");
}

TEST(ConfigReader, RefusesNumbersOutOfTheirRange) {
  ConfigReader reader("config.json", nlohmann::json::parse(R"({"a": 1e-310, "b": 3})"));
  EXPECT_EQ(reader.get_number({"b", ""}, {1, 3}), 3);
  expect_error(
      [&] {
        reader.get_number({"a", ""}, {1, 3});
      },
      Code::kBadFile, "config.json: key 'a': expected a number from 1 to 3, found 1e-310");
  expect_error(
      [&] {
        reader.find_number({"b", ""}, {0.5, 2.5});
      },
      Code::kBadFile, "config.json: key 'b': expected a number from 0.5 to 2.5, found 3");
  expect_error(
      [&] {
        reader.get_number({"c", ""}, {1, 3});
      },
      Code::kBadFile, "config.json: key 'c': expected a number from 1 to 3, found nothing");
}

TEST(ConfigReader, RefusesWhatIsNoListOfNumbers) {
  for (const char* text : {"{}", "5", R"([{"__float__": 5}])", R"([{"__float__": "Nothing"}])",
                           R"([{"__float__": "Infinity", "x": 1}])", "[[1]]"}) {
    const nlohmann::json value = nlohmann::json::parse(text);
    ConfigReader reader("config.json", {{"a", value}});
    expect_error(
        [&] {
          reader.numbers({"a", ""});
        },
        Code::kBadFile, "config.json: key 'a': expected a list of numbers, found " + value.dump());
  }
  ConfigReader reader("config.json", {{"a", nlohmann::json::object()}});
  expect_error(
      [&] {
        reader.booleans({"a", ""});
      },
      Code::kBadFile, "config.json: key 'a': expected a list of true and false, found {}");
}

TEST(ConfigReader, NamesTheFirstFewUnknownKeys) {
  nlohmann::json json = nlohmann::json::object();
  for (int i = 0; i < 20; ++i) {
    json["k" + std::to_string(10 + i) + std::string(100'000, '\n')] = 1;
  }
  const ConfigReader reader("config.json", json);
  try {
    reader.refuse_unread();
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_LT(message.size(), 5000u);
    EXPECT_THAT(message, testing::HasSubstr("'k10\\x0a\\x0a"));
    EXPECT_THAT(message, testing::EndsWith("...', and 12 more"));
  }
}

TEST(ConfigReader, ShowsNoMoreThanItNeeds) {
  ConfigReader reader = reader_of("{\"text\": \"" + std::string(500, 'x') + "\"}");
  expect_error(
      [&] {
        reader.find_boolean({"text", ""});
      },
      Code::kBadFile,
      "config.json: key 'text': expected true or false, found \"" + std::string(79, 'x') + "...");
}

TEST(ConfigReader, MustBeAnObject) {
  expect_error([] { reader_of("[1]"); }, Code::kBadFile,
               "config.json: expected an object, found array");
}

TEST(ConfigReader, RequiresValuesThatTheComputationHas) {
  ConfigReader reader = reader_of(R"({"hidden_act": "gelu", "plain": false, "none": null})");
  reader.require({"plain", ""}, false);
  reader.require({"none", ""}, 1);
  reader.require({"absent", ""}, 1);
  expect_error(
      [&] {
        reader.require({"hidden_act", ""}, "silu");
      },
      Code::kUnsupported,
      "config.json: key 'hidden_act': only \"silu\" is supported, found \"gelu\"");
}

TEST(ConfigReader, DefaultsStandWhereNothingDoes) {
  ConfigReader reader = reader_of(R"({"stated": 1, "empty": null})");
  for (const char* key : {"stated", "empty", "absent"}) {
    reader.set_default(key, 5);
  }
  EXPECT_EQ(reader.find_integer({"stated", ""}, {0, 9}), 1);
  EXPECT_EQ(reader.find_integer({"empty", ""}, {0, 9}), 5);
  EXPECT_EQ(reader.find_integer({"absent", ""}, {0, 9}), 5);
}

TEST(ConfigReader, RefusesKeysThatNobodyRead) {
  ConfigReader reader = reader_of(
      R"({"read": 1, "ignored": 1, "window": 5, "empty": null, "alibi": true, "inner": {"x": 1}})");
  reader.find_integer({"read", ""}, {0, 1});
  constexpr std::string_view kIgnored[] = {"ignored", "not there"};
  reader.ignore(kIgnored);
  const auto inner = reader.object("inner");
  expect_error([&] { reader.refuse_unread(); }, Code::kUnsupported,
               "config.json: unknown key(s), which may change the computation: 'alibi', 'window'");
  expect_error([&] { inner->refuse_unread(); }, Code::kUnsupported,
               "config.json: inner: unknown key(s), which may change the computation: 'x'");
}

TEST(ConfigReader, ReadsGgufUnderTheArchitecturesPrefix) {
  const GgufMetadata metadata([](GgufWriter& writer) {
    writer.add<uint32_t>("llama.block_count", 3);
    writer.add<int64_t>("llama.wide", -5);
    writer.add<float>("llama.eps", 0.5f);
    writer.add<double>("llama.exact", 0.1);
    writer.add<bool>("llama.on", true);
    writer.add_string("llama.name", "x");
    const std::vector<std::string> names = {"a", "b"};
    writer.add_strings("llama.names", names);
    const std::vector<int32_t> integers = {4, 5};
    writer.add_array<int32_t>("llama.many", integers);
    const std::vector<float> numbers = {0.25f};
    writer.add_array<float>("llama.numbers", numbers);
    const bool flags[] = {true, false};
    writer.add_array<bool>("llama.flags", flags);
    writer.add<uint32_t>("tokenizer.count", 9);  // another prefix: not this reader's
  });
  ConfigReader reader = metadata.reader();
  EXPECT_TRUE(reader.is_gguf());
  EXPECT_EQ(reader.label(), "m.gguf");
  EXPECT_EQ(reader.architecture(), "llama");
  EXPECT_EQ(reader.get_integer({"num_hidden_layers", "block_count"}, {0, 10}), 3);
  EXPECT_EQ(reader.get_integer({"", "wide"}, {-10, 10}), -5);
  EXPECT_EQ(reader.get_number({"", "eps"}), 0.5);
  EXPECT_EQ(reader.get_number({"", "exact"}), 0.1);
  EXPECT_EQ(reader.find_boolean({"", "on"}), true);
  EXPECT_EQ(reader.find_string({"", "name"}), "x");
  EXPECT_THAT(reader.strings({"", "names"}), ElementsAre("a", "b"));
  EXPECT_THAT(reader.integers({"", "many"}), ElementsAre(4, 5));
  EXPECT_THAT(reader.booleans({"", "flags"}), ElementsAre(true, false));
  EXPECT_THAT(reader.booleans({"", "absent"}), IsEmpty());
  EXPECT_TRUE(reader.has({"", "numbers"}));
  EXPECT_FALSE(reader.has({"numbers", ""}));
  EXPECT_FALSE(reader.has({"", "absent"}));
  EXPECT_EQ(reader.find_integer({"block_count", ""}, {0, 10}), std::nullopt);
  expect_error([&] { reader.refuse_unread(); }, Code::kUnsupported,
               "m.gguf: unknown key(s), which may change the computation: 'llama.numbers'");
  expect_error(
      [&] {
        reader.integers({"", "numbers"});
      },
      Code::kBadFile,
      "m.gguf: key 'llama.numbers': expected an integer or a list of integers, found "
      "[0.25]");
  reader.refuse_unread();
}

TEST(ConfigReader, RefusesGgufValuesByFullKey) {
  const GgufMetadata metadata([](GgufWriter& writer) {
    writer.add<uint32_t>("llama.block_count", 30);
    writer.add_raw("llama.flags", static_cast<uint32_t>(GgufType::kArray),
                   gguf_array_bytes({.element_type = static_cast<uint32_t>(GgufType::kBool),
                                     .count = 2,
                                     .elements = std::string("\1\0", 2)}));
  });
  ConfigReader reader = metadata.reader();
  expect_error(
      [&] {
        reader.get_integer({"", "block_count"}, {0, 10});
      },
      Code::kBadFile,
      "m.gguf: key 'llama.block_count': expected an integer from 0 to 10, found 30");
  expect_error(
      [&] {
        reader.get_integer({"", "absent"}, {0, 10});
      },
      Code::kBadFile,
      "m.gguf: key 'llama.absent': expected an integer from 0 to 10, found nothing");
  expect_error(
      [&] {
        reader.find_number({"", "flags"});
      },
      Code::kBadFile, "m.gguf: key 'llama.flags': expected a number, found [true,false]");
  expect_error(
      [&] {
        reader.require({"", "block_count"}, 4);
      },
      Code::kUnsupported, "m.gguf: key 'llama.block_count': only 4 is supported, found 30");
}

TEST(ConfigReader, NamesAnInfinityAsTheFileWritesIt) {
  ConfigReader reader("config.json", {{"a", {{"__float__", "Infinity"}}}});
  expect_error(
      [&] {
        reader.find_number({"a", ""});
      },
      Code::kBadFile, "config.json: key 'a': expected a number, found Infinity");
}

}  // namespace
}  // namespace invar

// Rope settings in their three spellings, and the text of every refusal.
#include "config/rope_parameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/expect_error.h"
#include "formats/gguf_writer.h"

namespace invar {
namespace {

ConfigReader reader_of(const std::string& text) {
  return {"config.json", nlohmann::json::parse(text)};
}
RopeParameters read(const std::string& text) {
  ConfigReader reader = reader_of(text);
  const RopeParameters rope = read_rope_parameters(reader);
  reader.refuse_unread();
  return rope;
}

TEST(RopeParameters, AbsentMeansTheUsualBase) {
  const RopeParameters rope = read("{}");
  EXPECT_EQ(rope.rope_theta, 10000.0);
  EXPECT_EQ(rope.scaling, RopeScaling::kNone);
}

TEST(RopeParameters, TodaysSpelling) {
  const RopeParameters rope = read(R"({"rope_parameters": {"rope_theta": 500000.0,
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64}})");
  EXPECT_EQ(rope.rope_theta, 500000.0);
  EXPECT_EQ(rope.scaling, RopeScaling::kLlama3);
  EXPECT_EQ(rope.factor, 8.0);
  EXPECT_EQ(rope.low_freq_factor, 1.0);
  EXPECT_EQ(rope.high_freq_factor, 4.0);
  EXPECT_EQ(rope.original_max_position_embeddings, 64);
  EXPECT_EQ(read(R"({"rope_parameters": {"rope_theta": 1e6, "rope_type": "default"}})").scaling,
            RopeScaling::kNone);
}

TEST(RopeParameters, OlderSpelling) {
  const RopeParameters rope = read(R"({"rope_theta": 100000, "rope_scaling": {"type": "llama3",
    "factor": 32, "low_freq_factor": 1, "high_freq_factor": 4,
    "original_max_position_embeddings": 8192}})");
  EXPECT_EQ(rope.rope_theta, 100000.0);
  EXPECT_EQ(rope.scaling, RopeScaling::kLlama3);
  EXPECT_EQ(rope.factor, 32.0);
  EXPECT_EQ(read(R"({"rope_theta": 5, "rope_scaling": null})").rope_theta, 5.0);
  EXPECT_EQ(read(R"({"rope_scaling": {"rope_type": "default"}})").scaling, RopeScaling::kNone);
}

TEST(RopeParameters, BothSpellingsMustAgree) {
  const RopeParameters rope = read(R"({"rope_theta": 5e5, "partial_rotary_factor": 0.25,
    "rope_parameters": {"rope_theta": 500000, "partial_rotary_factor": 0.25}})");
  EXPECT_EQ(rope.rope_theta, 500000.0);
  EXPECT_EQ(rope.partial_rotary_factor, 0.25);
  expect_error([] { read(R"({"rope_theta": 10000, "rope_parameters": {"rope_theta": 5e5}})"); },
               Code::kBadFile,
               "config.json: key 'rope_theta': expected 500000.0 (as config.json: rope_parameters: "
               "key 'rope_theta' states), found 10000.0");
  expect_error(
      [] {
        read(R"({"partial_rotary_factor": 0.5,
                 "rope_parameters": {"rope_theta": 5e5, "partial_rotary_factor": 0.25}})");
      },
      Code::kBadFile,
      "config.json: key 'partial_rotary_factor': expected 0.25 (as config.json: rope_parameters: "
      "key 'partial_rotary_factor' states), found 0.5");
  expect_error(
      [] { read(R"({"rope_scaling": {"rope_type": "default", "type": "linear"}})"); },
      Code::kBadFile,
      "config.json: rope_scaling: key 'type': expected \"default\" (as config.json: rope_scaling: "
      "key 'rope_type' states), found \"linear\"");
}

TEST(RopeParameters, OfGguf) {
  const auto read_gguf = [](double base, const std::string& scaling) {
    GgufWriter writer;
    writer.add_string("general.architecture", "llama");
    writer.add<float>("llama.rope.freq_base", static_cast<float>(base));
    if (!scaling.empty()) {
      writer.add_string("llama.rope.scaling.type", scaling);
    }
    const std::string bytes = writer.build();
    const GgufFile file = GgufFile::parse("m.gguf", bytes_of(bytes));
    ConfigReader reader(file);
    return read_rope_parameters(reader);
  };
  EXPECT_EQ(read_gguf(250000, "").rope_theta, 250000.0);
  EXPECT_EQ(read_gguf(250000, "none").rope_theta, 250000.0);
  expect_error([&] { read_gguf(250000, "yarn"); }, Code::kUnsupported,
               "m.gguf: key 'llama.rope.scaling.type': only \"none\" is supported, found \"yarn\"");
  expect_error([&] { read_gguf(-3, ""); }, Code::kBadFile,
               "m.gguf: key 'llama.rope.freq_base': expected a number from 1 to 1000000000000, "
               "found -3.0");
  expect_error([&] { read_gguf(1e-6, ""); }, Code::kBadFile,
               "m.gguf: key 'llama.rope.freq_base': expected a number from 1 to 1000000000000, "
               "found 9.999999974752427e-07");
  expect_error([&] { read_gguf(NAN, ""); }, Code::kBadFile,
               "m.gguf: key 'llama.rope.freq_base': expected a number from 1 to 1000000000000, "
               "found nan");
}

TEST(RopeParameters, Refusals) {
  expect_error([] { read(R"({"rope_theta": 0})"); }, Code::kBadFile,
               "config.json: key 'rope_theta': expected a number from 1 to 1000000000000, found 0");
  // The smallest numbers that JSON can write: their logarithms are defined for normal numbers only.
  expect_error([] { read(R"({"rope_parameters": {"rope_theta": 1e-310}})"); }, Code::kBadFile,
               "config.json: rope_parameters: key 'rope_theta': expected a number from 1 to "
               "1000000000000, found 1e-310");
  const auto refuse_scaling = [](const std::string& change, const std::string& message) {
    nlohmann::json scaling = {{"rope_type", "llama3"},
                              {"factor", 8},
                              {"low_freq_factor", 1},
                              {"high_freq_factor", 4},
                              {"original_max_position_embeddings", 64}};
    scaling.merge_patch(nlohmann::json::parse(change));
    expect_error(
        [&] {
          read(nlohmann::json{{"rope_scaling", scaling}}.dump());
        },
        Code::kBadFile, "config.json: rope_scaling: key " + message);
  };
  refuse_scaling(R"({"factor": 1e-300})",
                 "'factor': expected a number from 1 to 1000000, found 1e-300");
  refuse_scaling(R"({"low_freq_factor": 1e-300})",
                 "'low_freq_factor': expected a number from 1e-06 to 1000000, found 1e-300");
  refuse_scaling(R"({"high_freq_factor": 1e300})",
                 "'high_freq_factor': expected a number from 1e-06 to 1000000, found 1e+300");
  refuse_scaling(R"({"original_max_position_embeddings": 1e-300})",
                 "'original_max_position_embeddings': expected a number from 1 to 16777216, found "
                 "1e-300");
  expect_error([] { read(R"({"partial_rotary_factor": 1.5})"); }, Code::kBadFile,
               "config.json: key 'partial_rotary_factor': expected a number from 0.00390625 to 1, "
               "found 1.5");
  expect_error([] { read(R"({"rope_parameters": {"rope_type": "default"}})"); }, Code::kBadFile,
               "config.json: rope_parameters: key 'rope_theta': expected a number from 1 to "
               "1000000000000, found nothing");
  expect_error(
      [] { read(R"({"rope_parameters": {"rope_theta": 1e4, "rope_type": "yarn"}})"); },
      Code::kUnsupported,
      "config.json: rope_parameters: key 'rope_type': expected 'default' or 'llama3', found "
      "'yarn'");
  expect_error(
      [] {
        read(R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
                 "high_freq_factor": 4, "original_max_position_embeddings": 64}})");
      },
      Code::kBadFile,
      "config.json: rope_scaling: key 'high_freq_factor': expected more than low_freq_factor 4, "
      "found 4");
  expect_error(
      [] { read(R"({"rope_scaling": {"rope_type": "default", "factor": 8}})"); },
      Code::kUnsupported,
      "config.json: rope_scaling: unknown key(s), which may change the computation: 'factor'");
  expect_error(
      [] {
        read(R"({"rope_parameters": {"rope_theta": 1e4, "rope_type": "default", "mscale": 1}})");
      },
      Code::kUnsupported,
      "config.json: rope_parameters: unknown key(s), which may change the computation: 'mscale'");
}

}  // namespace
}  // namespace invar

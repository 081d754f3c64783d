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

constexpr std::array<int64_t, 3> kPublishedSections{11, 11, 10};

TEST(RopeParameters, SectionsOfInterleavedStreams) {
  const std::string today = R"({"rope_parameters": {"rope_theta": 1e7, "rope_type": "default",
    "mrope_interleaved": true, "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25}})";
  EXPECT_EQ(read(today).sections, kPublishedSections);
  const std::string older = R"({"rope_theta": 1e6, "rope_scaling": {"rope_type": "default",
    "mrope_interleaved": true, "mrope_section": [11, 11, 10]}})";
  EXPECT_EQ(read(older).sections, kPublishedSections);
  const std::string none = R"({"rope_scaling": {"type": "default", "mrope_interleaved": false}})";
  EXPECT_EQ(read(none).sections, (std::array<int64_t, 3>{}));
}

TEST(RopeParameters, RefusesOtherSections) {
  const auto refuse = [](const std::string& keys, Code code, const std::string& message) {
    expect_error([&] { read(R"({"rope_scaling": {)" + keys + "}}"); }, code,
                 "config.json: rope_scaling: key " + message);
  };
  for (const char* layout : {"", R"(, "mrope_interleaved": false)"}) {
    refuse(R"("mrope_section": [16, 24, 24])" + std::string(layout), Code::kUnsupported,
           "'mrope_interleaved': only true is supported where mrope_section is, found false or "
           "nothing");
  }
  const std::string expected = "'mrope_section': expected three counts of pairs from 0 to 320, ";
  refuse(R"("mrope_interleaved": true)", Code::kBadFile, expected + "found nothing");
  const auto refuse_sections = [&](const std::string& value, const std::string& message) {
    refuse(R"("mrope_interleaved": true, "mrope_section": )" + value, Code::kBadFile, message);
  };
  refuse_sections("[11, 11]", expected + "found [11,11]");
  refuse_sections("[11, 11, 10, 0]", expected + "found [11,11,10,0]");
  refuse_sections("[11, -1, 10]", expected + "found [11,-1,10]");
  refuse_sections("[11, 321, 10]", expected + "found [11,321,10]");
  refuse_sections("[0, 0, 0]", "'mrope_section': expected a count above 0, found [0,0,0]");
  refuse_sections("\"all\"",
                  "'mrope_section': expected an integer or a list of integers, found \"all\"");
}

TEST(RopeParameters, SectionsOfGguf) {
  const auto read_gguf = [](const std::vector<int32_t>& sections) {
    GgufWriter writer;
    writer.add_string("general.architecture", "qwen35");
    if (!sections.empty()) {
      writer.add_array<int32_t>("qwen35.rope.dimension_sections", sections);
    }
    const std::string bytes = writer.build();
    const GgufFile file = GgufFile::parse("m.gguf", bytes_of(bytes));
    ConfigReader reader(file);
    RopeParameters rope;
    read_gguf_sections(reader, rope);
    return rope.sections;
  };
  EXPECT_EQ(read_gguf({}), (std::array<int64_t, 3>{}));
  EXPECT_EQ(read_gguf({11, 11, 10}), kPublishedSections);
  EXPECT_EQ(read_gguf({11, 11, 10, 0}), kPublishedSections);
  const std::string expected =
      "m.gguf: key 'qwen35.rope.dimension_sections': expected three counts of pairs from 0 to "
      "320, ";
  expect_error([&] { read_gguf({11, 11, 9, 1}); }, Code::kBadFile, expected + "found [11,11,9,1]");
  expect_error([&] { read_gguf({11}); }, Code::kBadFile, expected + "found [11]");
}

TEST(RopeParameters, SectionsFitTheColumnsThatRotate) {
  const ConfigReader reader = reader_of("{}");
  RopeParameters rope;
  check_sections(reader, rope, 8);
  for (const std::array<int64_t, 3>& good : {kPublishedSections, {20, 6, 6}, {32, 0, 0}}) {
    rope.sections = good;
    check_sections(reader, rope, 64);
  }
  const std::string expected =
      "config.json: key 'mrope_section': expected 4 pairs in all (half the rotary columns), at "
      "most 1 in the second section and 1 in the third, found ";
  rope.sections = {2, 1, 2};
  expect_error([&] { check_sections(reader, rope, 8); }, Code::kBadFile, expected + "[2,1,2]");
  rope.sections = {2, 2, 0};
  expect_error([&] { check_sections(reader, rope, 8); }, Code::kBadFile, expected + "[2,2,0]");
  rope.sections = {2, 0, 2};
  expect_error([&] { check_sections(reader, rope, 8); }, Code::kBadFile, expected + "[2,0,2]");
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

TEST(RopeParameters, AbsentKeysMeanWhatTheFamilySays) {
  const RopeParameters defaults{.rope_theta = 1e6, .partial_rotary_factor = 0.25};
  ConfigReader none = reader_of("{}");
  EXPECT_EQ(read_rope_parameters(none, defaults).rope_theta, 1e6);
  EXPECT_EQ(read_rope_parameters(none, defaults).partial_rotary_factor, 0.25);
  ConfigReader stated = reader_of(R"({"rope_theta": 5, "partial_rotary_factor": 0.5})");
  EXPECT_EQ(read_rope_parameters(stated, defaults).rope_theta, 5);
  EXPECT_EQ(read_rope_parameters(stated, defaults).partial_rotary_factor, 0.5);
  GgufWriter writer;
  writer.add_string("general.architecture", "qwen35");
  const std::string bytes = writer.build();
  const GgufFile file = GgufFile::parse("m.gguf", bytes_of(bytes));
  ConfigReader gguf(file);
  EXPECT_EQ(read_rope_parameters(gguf, defaults).partial_rotary_factor, 1.0);
}

}  // namespace
}  // namespace invar

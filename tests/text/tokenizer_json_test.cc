// Whole tokenizer.json files, the roles from the files beside it, and files that are not JSON.
#include <gtest/gtest.h>

#include <fstream>

#include "text/shared_files.h"
#include "text/tokenizer_builder.h"

namespace invar {
namespace {

using Ids = std::vector<int32_t>;

constexpr std::string_view kByteLevelModel = R"({"type": "BPE", "merges": ["Ġ a"],
  "vocab": {"a": 0, "Ġ": 1, "Ã": 2, "©": 3, "Ġa": 4, "ÿ": 5}})";
constexpr std::string_view kByteLevel = R"({"type": "ByteLevel", "add_prefix_space": false})";

TEST(TokenizerJson, ByteLevelTakesBytesAsTheyAre) {
  const Tokenizer tokenizer = test::tokenizer_of({.pre_tokenizer = kByteLevel,
                                                  .decoder = R"({"type": "ByteLevel"})",
                                                  .model = kByteLevelModel});
  EXPECT_EQ(tokenizer.encode("a aé"), (Ids{0, 4, 2, 3}));
  EXPECT_EQ(tokenizer.encode("a\xFF\xC3 a"), (Ids{0, 5, 2, 4}));
  EXPECT_EQ(tokenizer.decode_bytes(Ids{5, 2}, false), "\xFF\xC3");
}

TEST(TokenizerJson, ByteLevelInTheMiddleSpellsItsPieces) {
  // Digits after ByteLevel cuts the spelled text, where the byte 0xB2 is a number.
  const Tokenizer tokenizer = test::tokenizer_of(
      {.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
         {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
         {"type": "Digits", "individual_digits": true}]})",
       .model = R"({"type": "BPE", "vocab": {"Â": 0, "²": 1, "Â²": 2}, "merges": ["Â ²"]})"});
  EXPECT_EQ(tokenizer.encode("²"), (Ids{0, 1}));
}

TEST(TokenizerJson, AddedTokensAreNumberedAsTheReferenceDoes) {
  const Tokenizer tokenizer = test::tokenizer_of({.added_tokens = R"([
    {"id": 0, "content": "b", "special": true},
    {"id": 99, "content": "<x>", "special": true}, {"id": 99, "content": ""},
    {"id": 99, "content": "<y>"}, {"id": 99, "content": "<x>", "special": false}])"});
  EXPECT_EQ(tokenizer.id_of("b"), 2);
  EXPECT_EQ(tokenizer.id_of("<x>"), 3);
  EXPECT_EQ(tokenizer.id_of("<y>"), 4);
  EXPECT_EQ(tokenizer.vocab_size(), 5);
  EXPECT_TRUE(tokenizer.is_special(2));
  EXPECT_FALSE(tokenizer.is_special(3));  // the later entry counts
  EXPECT_EQ(tokenizer.encode("a<x><y>b"), (Ids{1, 3, 4, 2}));
}

TEST(TokenizerJson, RefusesAddedTokensWithoutARealId) {
  for (const std::string id : {"{}", "-1", "9223372036854775808", "8388608", "\"7\""}) {
    const std::string found = id == "{}" ? "an object" : id == "\"7\"" ? "'7'" : id;
    const std::string added = R"([{"id": 3, "content": "x"}, {"content": "y", "id": )" + id + "}]";
    test::expect_refused(
        {.added_tokens = added}, Code::kBadFile,
        "added_tokens[1].id: expected a token id from 0 to 8388607, found " + found);
  }
}

TEST(TokenizerJson, RolesComeFromTheFilesBeside) {
  const std::string json = test::json_of({.added_tokens = R"([
    {"content": "<s>", "special": true}, {"content": "</s>", "special": true},
    {"content": "<|im_end|>", "special": true}, {"content": "<eos>"}])"});
  const Tokenizer tokenizer = tokenizer_from_json_text(
      {.label = "t.json",
       .tokenizer = json,
       .config = R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": null,
                     "unk_token": "missing"})",
       .generation_config = R"({"eos_token_id": [4, 1, 1000, null]})"});
  EXPECT_EQ(tokenizer.special_ids().bos, 3);
  EXPECT_EQ(tokenizer.special_ids().eos, 4);
  EXPECT_EQ(tokenizer.special_ids().unk, 0);  // the model's
  EXPECT_EQ(tokenizer.special_ids().pad, std::nullopt);
  EXPECT_EQ(tokenizer.end_of_generation_ids(), (Ids{1, 4, 5}));
  EXPECT_TRUE(tokenizer.is_end_of_generation(5));
  EXPECT_FALSE(tokenizer.is_end_of_generation(6));  // named like an end, but not special
}

TEST(TokenizerJson, HarmonyMessagesDoNotEndAnAnswer) {
  const std::string_view added = R"([{"content": "<|end|>", "special": true},
    {"content": "<|return|>", "special": true}, {"content": "<|call|>", "special": true}])";
  EXPECT_EQ(test::tokenizer_of({.added_tokens = added}).end_of_generation_ids(), (Ids{4, 5}));
  const std::string_view alone = R"([{"content": "<|end|>", "special": true}])";
  EXPECT_EQ(test::tokenizer_of({.added_tokens = alone}).end_of_generation_ids(), (Ids{3}));
}

TEST(TokenizerJson, RefusesRolesOfAnotherForm) {
  const std::string json = test::json_of({});
  const auto refused = [&](std::string_view config, std::string_view generation,
                           const std::string& message) {
    expect_error(
        [&] {
          tokenizer_from_json_text({.label = "t.json",
                                    .tokenizer = json,
                                    .config = config,
                                    .generation_config = generation});
        },
        Code::kBadFile, message);
  };
  refused(R"({"eos_token": 7})", "",
          "t.json: tokenizer_config.json: 'eos_token': expected a token's text, found 7");
  refused("", R"({"eos_token_id": "x"})",
          "t.json: generation_config.json: 'eos_token_id': expected token ids from 0 to 8388607, "
          "found \"x\"");
  refused("", R"({"eos_token_id": -1})",
          "t.json: generation_config.json: 'eos_token_id': expected token ids from 0 to 8388607, "
          "found -1");
  EXPECT_NO_THROW(tokenizer_from_json_text(
      {.label = "t.json", .tokenizer = json, .config = "[]", .generation_config = "{}"}));
}

TEST(TokenizerJson, RefusesWhatIsNotJson) {
  const auto refused = [](std::string_view text) {
    EXPECT_THROW(tokenizer_from_json_text({.label = "t.json", .tokenizer = text}), Error) << text;
  };
  refused("");
  refused("{");
  refused("[]");
  refused(R"({"model": null})");
  refused("{\"model\": \"\xFF\"}");
  refused(std::string(100, '[') + std::string(100, ']'));
}

// The size is looked at before anything is read or copied: the file has no content on the disk.
TEST(TokenizerJson, RefusesAFileOverTheLimit) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "tokenizer.json";
  std::ofstream(path).flush();
  std::filesystem::resize_file(path, (uintmax_t{512} << 20) + 1);
  expect_error([&] { tokenizer_from_json(path); }, Code::kBadFile,
               path.string() + ": expected at most 536870912 bytes, found 536870913");
}

TEST(TokenizerJson, SaysWhereTheTextIsWrong) {
  const auto refuse = [](const std::string& text, const std::string& message) {
    TokenizerJson json;
    json.label = "tokenizer.json";
    json.tokenizer = text;
    expect_error([&] { tokenizer_from_json_text(json); }, Code::kBadFile, message);
  };
  refuse("{}", "tokenizer.json: expected a field 'model', found none");
  refuse("[]", "tokenizer.json: expected an object, found an array");
  refuse("{\"a\":\n" + std::string(200, '[') + std::string(200, ']') + "}",
         "tokenizer.json: line 2, byte 70: nested deeper than 64 levels");
  refuse("{\n\"a\" 1}",
         "tokenizer.json: line 2, byte 7: syntax error while parsing object separator - unexpected "
         "number literal; expected ':'");
}

TEST(TokenizerJson, ReadsFilesAndFolders) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "tokenizer.json";
  EXPECT_THROW(tokenizer_from_json(folder.path()), Error);
  std::ofstream(path) << test::json_of({});
  EXPECT_EQ(tokenizer_from_json(path).encode("a"), (Ids{1}));
  std::ofstream(folder.path() / "tokenizer_config.json") << R"({"bos_token": "a"})";
  std::ofstream(folder.path() / "generation_config.json") << R"({"eos_token_id": 2})";
  const Tokenizer tokenizer = tokenizer_from_json(folder.path());
  EXPECT_EQ(tokenizer.special_ids().bos, 1);
  EXPECT_EQ(tokenizer.end_of_generation_ids(), (Ids{2}));
}

}  // namespace
}  // namespace invar

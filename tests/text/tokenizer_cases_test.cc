// The reference results: every text of every published tokenizer, all four fields.
#include "text/tokenizer_cases.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "text/shared_files.h"

namespace invar {
namespace {

class ReferenceCases : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceCases, AllAgree) {
  const std::filesystem::path folder = test::shared_text() / "tokenizers" / GetParam();
  if (!std::filesystem::exists(folder / "cases.json.xz")) {
    GTEST_SKIP() << "no " << folder;
  }
  const test::TemporaryFolder temporary;
  temporary.unpack(folder / "tokenizer.json.xz");
  temporary.unpack(folder / "tokenizer_config.json.xz");
  const std::filesystem::path cases = temporary.unpack(folder / "cases.json.xz");
  const CaseCounts counts = check_tokenizer_cases(
      cases, temporary.path(), [](const std::string& line) { ADD_FAILURE() << line; });
  EXPECT_EQ(counts.passed, 217);
  EXPECT_EQ(counts.failed, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceCases,
                         testing::Values("deepseek_v3", "gemma3", "gptoss", "llama2", "llama3_1",
                                         "qwen3"));

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(TokenizerCases, ReportsEachFieldThatDiffers) {
  const test::TemporaryFolder folder;
  write(folder.path() / "tokenizer.json",
        R"({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})");
  write(folder.path() / "cases.json", R"({"cases": [
    {"text": "a", "ids": [0], "ids_with_special": [0], "decoded": "a", "decoded_skip": "a"},
    {"text": "a", "ids": [1], "ids_with_special": [0], "decoded": "a", "decoded_skip": "a"},
    {"text": "a", "ids": [0], "ids_with_special": [1], "decoded": "a", "decoded_skip": "a"},
    {"text": "a", "ids": [0], "ids_with_special": [0], "decoded": "b", "decoded_skip": "a"},
    {"text": "a", "ids": [0], "ids_with_special": [0], "decoded": "a", "decoded_skip": "b"}]})");
  std::vector<std::string> lines;
  const CaseCounts counts =
      check_tokenizer_cases(folder.path() / "cases.json", folder.path(),
                            [&](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(counts.passed, 1);
  EXPECT_EQ(counts.failed, 4);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"case 1: 'a': ids: expected [1], found [0]",
                                      "case 2: 'a': ids_with_special: expected [1], found [0]",
                                      "case 3: 'a': decoded: expected 'b', found 'a'",
                                      "case 4: 'a': decoded_skip: expected 'b', found 'a'"}));
}

TEST(TokenizerCases, RefusesOtherForms) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "cases.json";
  for (const char* text : {R"([])", R"({"cases": 1})", R"({"cases": [{"text": "a"}]})",
                           R"({"cases": [{"text": "a", "ids": ["x"], "ids_with_special": [],
                               "decoded": "", "decoded_skip": ""}]})"}) {
    write(path, text);
    EXPECT_THROW(check_tokenizer_cases(path, folder.path(), [](const std::string&) {}), Error)
        << text;
  }
}

}  // namespace
}  // namespace invar

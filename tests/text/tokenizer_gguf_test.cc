// Tokenizers from GGUF files: the published vocabularies with their makers' ids.
#include <gtest/gtest.h>

#include <sstream>

#include "formats/gguf.h"
#include "text/shared_files.h"
#include "text/tokenizer.h"

namespace invar {
namespace {

std::vector<std::string> split_texts(const std::string& all) {
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  size_t at = 0;
  for (size_t end = all.find(separator); end != std::string::npos; end = all.find(separator, at)) {
    texts.push_back(all.substr(at, end - at));
    at = end + separator.size();
  }
  return texts;
}

class PublishedVocabulary : public testing::TestWithParam<const char*> {};

TEST_P(PublishedVocabulary, GivesThePublishedIds) {
  const std::string name = std::string("ggml-vocab-") + GetParam() + ".gguf";
  const std::filesystem::path folder = test::shared_text() / "gguf-vocab";
  if (!std::filesystem::exists(folder / (name + ".xz"))) {
    GTEST_SKIP() << "no " << folder;
  }
  const test::TemporaryFolder temporary;
  const GgufFile file = GgufFile::open(temporary.unpack(folder / (name + ".xz")));
  const Tokenizer tokenizer = tokenizer_from_gguf(file);
  const std::vector<std::string> texts = split_texts(test::read_text(folder / (name + ".inp")));
  std::istringstream lines(test::read_text(folder / (name + ".out")));
  ASSERT_GT(texts.size(), 40u);
  for (const std::string& text : texts) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream words(line);
    const std::vector<int32_t> expected{std::istream_iterator<int32_t>(words), {}};
    EXPECT_EQ(tokenizer.encode(text), expected) << "'" << text << "'";
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedVocabulary,
                         testing::Values("bert-bge", "deepseek-coder", "falcon", "gpt-2",
                                         "llama-spm", "phi-3", "starcoder"));

}  // namespace
}  // namespace invar

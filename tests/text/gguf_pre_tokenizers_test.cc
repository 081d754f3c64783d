// The table of pre-tokenizer names: every pattern compiles, known names cut as their publishers do.
#include "text/gguf_pre_tokenizers.h"

#include <gtest/gtest.h>

#include "text/pre_tokenizer.h"

namespace invar {
namespace {

using Texts = std::vector<std::string>;

Texts pieces(std::string_view name, std::string_view text) {
  const GgufPreTokenizer* row = find_gguf_pre_tokenizer(name);
  EXPECT_NE(row, nullptr) << name;
  std::vector<PreTokenizerStep> steps;
  for (const std::string_view pattern : row->patterns) {
    if (!pattern.empty()) {
      steps.emplace_back(PatternSplit{Regex::compile(pattern, name), {}});
    }
  }
  TextArena arena(GrowthLimit("f", "pre_tokenizer", text.size()));
  std::vector<Piece> found = {{text, true}};
  StopCheck never;
  pre_tokenize(steps, arena, found, never);
  Texts out;
  for (const Piece& piece : found) {
    out.emplace_back(piece.text);
  }
  return out;
}

TEST(GgufPreTokenizers, EveryNameCutsWithoutLosingText) {
  const std::string text =
      "I'll  say 12345 x,y!\r\n\n  中文 かな naïve_Camel HTTPServer ... ١٢ \u00A0z";
  for (const char* name : {"gpt-2",          "phi-2",
                           "jina-v2-de",     "exaone4",
                           "jais",           "roberta-bpe",
                           "trillion",       "mpt",
                           "olmo",           "starcoder",
                           "refact",         "smollm",
                           "codeshell",      "minerva-7b",
                           "command-r",      "default",
                           "falcon",         "llama-bpe",
                           "llama3",         "falcon3",
                           "lfm2",           "dbrx",
                           "glm4",           "chatglm-bpe",
                           "qwen2",          "deepseek-r1-qwen",
                           "stablelm2",      "hunyuan",
                           "qwen35",         "ufakzeka",
                           "laguna",         "gpt-4o",
                           "o200k",          "llama4",
                           "minimax-m2",     "tekken",
                           "kimi-k2",        "tiny_aya",
                           "youtu",          "deepseek-llm",
                           "deepseek-coder", "deepseek-v3",
                           "hunyuan-dense",  "spark2_5",
                           "poro-chat",      "bloom",
                           "viking",         "bailingmoe",
                           "seed-coder",     "exaone-moe",
                           "minicpm5",       "jais-2",
                           "superbpe"}) {
    std::string joined;
    const Texts found = pieces(name, text);
    for (const std::string& piece : found) {
      joined += piece;
    }
    EXPECT_EQ(joined, text) << name;
    EXPECT_GT(found.size(), 5u) << name;
  }
}

TEST(GgufPreTokenizers, KnownCuts) {
  EXPECT_EQ(pieces("gpt-2", "I'll 123  go"), (Texts{"I", "'ll", " 123", " ", " go"}));
  EXPECT_EQ(pieces("smollm", " 123"), (Texts{" ", "1", "2", "3"}));
  EXPECT_EQ(pieces("llama-bpe", "I'LL 12345"), (Texts{"I", "'LL", " ", "123", "45"}));
  EXPECT_EQ(pieces("qwen2", "a12"), (Texts{"a", "1", "2"}));
  EXPECT_EQ(pieces("gpt-4o", "HTTPServer's"), (Texts{"HTTPServer's"}));
  EXPECT_EQ(pieces("gpt-4o", "camelCase"), (Texts{"camel", "Case"}));
  EXPECT_EQ(pieces("tekken", "camelCase's"), (Texts{"camel", "Case", "'s"}));
  EXPECT_EQ(pieces("kimi-k2", "ab中文cd"), (Texts{"ab", "中文", "cd"}));
  EXPECT_EQ(pieces("deepseek-v3", "x中a1234"), (Texts{"x", "中", "a", "123", "4"}));
  EXPECT_EQ(pieces("tiny_aya", "1234567"), (Texts{"1", "234", "567"}));
  EXPECT_EQ(pieces("superbpe", "a 1234567"), (Texts{"a ", "1", "234", "567"}));
}

TEST(GgufPreTokenizers, UnknownNames) {
  EXPECT_EQ(find_gguf_pre_tokenizer("nonsense"), nullptr);
  EXPECT_EQ(find_gguf_pre_tokenizer(""), nullptr);
}

}  // namespace
}  // namespace invar

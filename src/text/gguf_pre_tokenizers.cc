// The patterns are those of the vocabularies' own published tokenizer files; they are written in
// their dialect (text/regex_syntax.h).
#include "text/gguf_pre_tokenizers.h"

#include <algorithm>

namespace invar {
namespace {

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
                                    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
    R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kNoContractions =
    R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200kSingleDigits =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kKimi =
    R"([\p{Han}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kThreeDigits = R"(\p{N}{1,3})";
constexpr std::string_view kDigit = R"(\p{N})";
constexpr std::string_view kNewline = R"([\r\n])";
constexpr std::string_view kHanAndKana =
    R"([\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)";
constexpr std::string_view kDeepSeekCjk =
    R"([\x{4e00}-\x{9fa5}\x{0800}-\x{4e00}\x{ac00}-\x{d7ff}]+)";
constexpr std::string_view kDeepSeek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kSpark =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
// Cased letters of the alphabetic scripts, as the DeepSeek LLM vocabulary lists them.
constexpr std::string_view kDeepSeekLetters =
    R"(\s?[A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293})"
    R"(\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386})"
    R"(\x{388}-\x{38a}\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5}\x{3f7}-\x{481}\x{48a}-\x{52f})"
    R"(\x{531}-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba})"
    R"(\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15})"
    R"(\x{1f18}-\x{1f1d}\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b})"
    R"(\x{1f5d}\x{1f5f}-\x{1f7d}\x{1f80}-\x{1fb4}\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4})"
    R"(\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3}\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4})"
    R"(\x{1ff6}-\x{1ffc}\x{2102}\x{2107}\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d}\x{2124})"
    R"(\x{2126}\x{2128}\x{212a}-\x{212d}\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f})"
    R"(\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184}\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4})"
    R"(\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3}\x{a640}-\x{a66d}\x{a680}-\x{a69b}\x{a722}-\x{a76f})"
    R"(\x{a771}-\x{a787}\x{a78b}-\x{a78e}\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17})"
    R"(\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3})"
    R"(\x{104d8}-\x{104fb}\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df})"
    R"(\x{1e900}-\x{1e943}]+)";
constexpr std::string_view kDeepSeekPunctuation =
    R"(\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+)";
constexpr std::string_view kBloom =
    R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{ff0c}\x{3001}\x{0964}\x{06d4}\x{060c})]+)";
constexpr std::string_view kYoutuScripts =
    R"([\x{ac00}-\x{d7a3}\x{3131}-\x{318e}]+)"
    R"(|[\x{ff01}\x{2026}\x{201c}\x{201d}\x{2018}\x{2019}\x{2014}\x{ff1a}\x{ff1b}\x{ff0c})"
    R"(\x{3001}-\x{303f}\x{fe30}-\x{fe4f}]+)"
    R"(|[\x{3105}-\x{312f}]+|[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)";
constexpr std::string_view kFalconPunctuation = R"([\p{P}\$\+<=>\^~\|`]+)";
constexpr std::string_view kDefaultPunctuation = R"([\p{P}\$\+<=>\^~\|]+)";
constexpr std::string_view kAsciiTriple = "[0-9][0-9][0-9]";
constexpr std::string_view kBailing =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*)"
    R"(|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kSeedCoder =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1})"
    R"(| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kExaoneMoe =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kMiniCpm5 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+)"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kJais2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S))"
    R"(|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";
constexpr std::string_view kTinyAyaDigits = R"(\d{1,3}(?=(?:\d{3})*\b))";
constexpr std::string_view kLines = R"([^\n]+|[\n]+)";

constexpr auto kTable = std::to_array<GgufPreTokenizer>({
    {.names = {"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de",
               "a.x-4.0", "mellum", "modern-bert", "exaone4", "jais"},
     .patterns = {kGpt2}},
    {.names = {"jina-v1-en", "jina-v2-code", "roberta-bpe", "trillion", "granite-docling"},
     .patterns = {kGpt2}},
    {.names = {"mpt", "olmo"}, .patterns = {kGpt2}, .nfc = true},
    {.names = {"starcoder", "refact", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
     .patterns = {kDigit, kGpt2}},
    {.names = {"command-r"}, .patterns = {kDigit, kGpt2}, .nfc = true},
    {.names = {"default"}, .patterns = {kDefaultPunctuation, kGpt2, R"(\p{N}+)", kAsciiTriple}},
    {.names = {"falcon"}, .patterns = {kFalconPunctuation, kGpt2, kAsciiTriple}},
    {.names = {"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0",
               "lfm2", "jina-v5-nano"},
     .patterns = {kLlama3},
     .ignore_merges = true,
     .add_bos = true},
    {.names = {"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, .patterns = {kLlama3}},
    {.names = {"qwen2"}, .patterns = {kQwen2}, .nfc = true},
    {.names = {"deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan",
               "solar-open", "grok-2"},
     .patterns = {kQwen2}},
    {.names = {"qwen35"}, .patterns = {kQwen35}, .nfc = true},
    {.names = {"ufakzeka"}, .patterns = {kNoContractions}},
    {.names = {"laguna"}, .patterns = {kLines, kQwen2}},
    {.names = {"gpt-4o", "o200k", "llama4", "kanana2", "talkie", "minimax-m2",
               "granite-embed-multi-97m"},
     .patterns = {kO200k},
     .ignore_merges = true},
    {.names = {"tekken"}, .patterns = {kTekken}, .ignore_merges = true, .add_bos = true},
    {.names = {"kimi-k2"}, .patterns = {kKimi}, .ignore_merges = true},
    {.names = {"tiny_aya", "cohere2moe"}, .patterns = {kTinyAyaDigits, kO200k}},
    {.names = {"youtu"}, .patterns = {kYoutuScripts, kO200kSingleDigits}, .ignore_merges = true},
    {.names = {"deepseek-llm"},
     .patterns = {kNewline, kDeepSeekLetters, kDeepSeekPunctuation, R"(\s+$)", kDeepSeekCjk,
                  R"(\p{N}+)"}},
    {.names = {"deepseek-coder"},
     .patterns = {kNewline, R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepSeekCjk, kDigit}},
    {.names = {"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"},
     .patterns = {kThreeDigits, kHanAndKana, kDeepSeek3}},
    {.names = {"spark2_5"}, .patterns = {kThreeDigits, kHanAndKana, kSpark, kDigit}},
    {.names = {"poro-chat", "bloom", "gpt3-finnish"}, .patterns = {kBloom}},
    {.names = {"viking"}, .patterns = {kBloom, kDigit}},
    {.names = {"bailingmoe", "bailingmoe2", "llada-moe"}, .patterns = {kBailing}},
    {.names = {"seed-coder"}, .patterns = {kSeedCoder}},
    {.names = {"exaone-moe"}, .patterns = {kExaoneMoe}},
    {.names = {"minicpm5"}, .patterns = {kThreeDigits, kMiniCpm5}, .ignore_merges = true},
    {.names = {"jais-2"}, .patterns = {kJais2}},
    {.names = {"superbpe"}, .patterns = {R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"}},
});

}  // namespace

const GgufPreTokenizer* find_gguf_pre_tokenizer(std::string_view name) {
  for (const GgufPreTokenizer& row : kTable) {
    if (!name.empty() && std::find(row.names.begin(), row.names.end(), name) != row.names.end()) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace invar

// Readers of the small components of tokenizer.json. Component types that are not known are refused
// by name (Error kUnsupported), malformed ones with their place (Error kBadFile).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "text/json_node.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/token_decoder.h"

namespace invar {

// Components nest in Sequence; deeper than this is refused.
inline constexpr int kMaxComponentDepth = 16;

std::vector<NormalizerStep> read_normalizer(const JsonNode& node);

std::vector<PreTokenizerStep> read_pre_tokenizer(const JsonNode& node);

std::vector<DecodeStage> read_decoder(const JsonNode& node);

// What a post-processor puts around one text.
struct Affixes {
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
};
Affixes read_post_processor(const JsonNode& node);

// A pattern given as {"String": ...}, {"Regex": ...} or a plain string.
Regex read_pattern(const JsonNode& node);

}  // namespace invar

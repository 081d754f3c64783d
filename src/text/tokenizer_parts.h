// What a Tokenizer is made of; filled by the readers of tokenizer.json and of GGUF files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/model.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/token_decoder.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace invar {

// A text passes from top to bottom: added tokens are cut out, the rest is normalized, cut into
// pieces and encoded piece by piece; `prefix` and `suffix` go around the result.
struct TokenizerParts {
  TokenizerParts() = default;
  TokenizerParts(const TokenizerParts&) = delete;  // the model points into the vocabulary
  TokenizerParts& operator=(const TokenizerParts&) = delete;

  std::string file;  // its path, for messages
  AddedTokens added;
  std::vector<NormalizerStep> normalizer;
  std::vector<PreTokenizerStep> pre_tokenizer;
  Vocabulary vocabulary;  // of the model; added tokens may be outside
  TokenModel model;
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
  TokenDecoder decoder;

  SpecialIds special;
  std::vector<int32_t> end_of_generation;  // ascending, no id twice
  bool keeps_broken_bytes = false;         // the model takes any bytes
};

// Sorts and removes duplicates and ids that are no token.
void set_end_of_generation(TokenizerParts& parts, std::vector<int32_t> ids);

// The ids of tokens whose text is known to end an answer, such as <|im_end|>; special tokens only.
std::vector<int32_t> known_end_tokens(const AddedTokens& added);

// What the decoder sees for an id, or nothing if it is no token.
std::optional<std::string_view> decoder_text(const TokenizerParts& parts, int32_t id);

}  // namespace invar

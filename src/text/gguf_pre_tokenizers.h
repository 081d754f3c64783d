// The pre-tokenizers of byte-level GGUF vocabularies, by the names that `tokenizer.ggml.pre` uses.
#pragma once

#include <array>
#include <string_view>

namespace invar {

struct GgufPreTokenizer {
  std::array<std::string_view, 12> names;  // unused entries are empty, here and below
  // Splits, one after the other, each with matches and gaps as pieces of their own.
  std::array<std::string_view, 6> patterns;
  bool ignore_merges = false;  // a piece that is a token is that token
  bool nfc = false;            // text is composed first
  bool add_bos = false;        // unless the file says otherwise
};

// Null for a name that is not known.
const GgufPreTokenizer* find_gguf_pre_tokenizer(std::string_view name);

}  // namespace invar

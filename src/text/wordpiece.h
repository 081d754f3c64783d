// WordPiece: cut a word into the longest token that it begins with, then the longest that continues
// it, and so on; a word that cannot be cut so is one unknown token. WordLevel: a word is a token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace invar {

struct WordPieceOptions {
  std::optional<int32_t> unk;
  std::string continuing_subword_prefix = "##";
  size_t max_input_chars_per_word = 100;  // longer words are unknown
};

// Const use is safe from many threads.
class WordPiece {
 public:
  // `vocabulary` must outlive this.
  WordPiece(const Vocabulary& vocabulary, WordPieceOptions options);

  // Appends the ids of `word` to `ids`. Error kBadArgument for an unknown word if there is no
  // unknown token.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

 private:
  const Vocabulary& vocabulary_;
  WordPieceOptions options_;
};

// Const use is safe from many threads.
class WordLevel {
 public:
  WordLevel(const Vocabulary& vocabulary, std::optional<int32_t> unk);

  // As WordPiece::encode.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

 private:
  const Vocabulary& vocabulary_;
  std::optional<int32_t> unk_;
};

}  // namespace invar

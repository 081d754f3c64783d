// A merge across a cut would make a token that has a mark after another character.
#include "text/marked_words.h"

#include <algorithm>
#include <optional>

namespace invar {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

// The first mark at or after `from` that follows another character of `text`.
size_t inner_mark(std::string_view text, size_t from) {
  for (size_t at = text.find(kSpaceMark, from); at != std::string_view::npos;
       at = text.find(kSpaceMark, at + kSpaceMark.size())) {
    if (at > 0 && !text.substr(0, at).ends_with(kSpaceMark)) {
      return at;
    }
  }
  return text.size();
}

bool tokens_allow_cuts(const Vocabulary& vocabulary) {
  if (!vocabulary.id_of(kSpaceMark).has_value()) {
    return false;  // an unknown mark may belong to a longer unknown run
  }
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.token(id).value_or("");
    if (inner_mark(token, 0) != token.size()) {
      return false;
    }
  }
  return true;
}

}  // namespace

MarkedWords::MarkedWords(const Vocabulary& vocabulary) : can_cut_(tokens_allow_cuts(vocabulary)) {}

size_t MarkedWords::word_end(std::string_view piece, size_t begin) const {
  if (!can_cut_) {
    return piece.size();
  }
  // The word's own leading marks are no cut: begin + 1 is past the first of them.
  const size_t end = inner_mark(piece.substr(begin), 1);
  return std::min(begin + end, piece.size());
}

}  // namespace invar

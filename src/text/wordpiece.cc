// A word's length is limited, so trying every end is cheap enough.
#include "text/wordpiece.h"

#include "core/error.h"
#include "formats/printable.h"
#include "text/utf8.h"

namespace invar {
namespace {

void append_unknown(std::string_view word, std::optional<int32_t> unk, std::vector<int32_t>& ids) {
  if (!unk.has_value()) {
    fail(Code::kBadArgument, "text: no token for '{}', and the vocabulary has no unknown token",
         printable(word));
  }
  ids.push_back(*unk);
}

// Counts characters up to `limit` + 1.
bool longer_than(std::string_view word, size_t limit) {
  size_t count = 0;
  for (size_t at = 0; at < word.size() && count <= limit; ++count) {
    next_code(word, at);
  }
  return count > limit;
}

}  // namespace

WordPiece::WordPiece(const Vocabulary& vocabulary, WordPieceOptions options)
    : vocabulary_(vocabulary), options_(std::move(options)) {}

void WordPiece::encode(std::string_view word, std::vector<int32_t>& ids) const {
  if (longer_than(word, options_.max_input_chars_per_word)) {
    append_unknown(word, options_.unk, ids);
    return;
  }
  const size_t first = ids.size();
  std::string candidate;
  for (size_t begin = 0; begin < word.size();) {
    size_t end = word.size();
    std::optional<int32_t> id;
    while (end > begin) {
      candidate = begin > 0 ? options_.continuing_subword_prefix : "";
      candidate += word.substr(begin, end - begin);
      id = vocabulary_.id_of(candidate);
      if (id.has_value()) {
        break;
      }
      do {  // back by one character
        --end;
      } while (end > begin && (static_cast<uint8_t>(word[end]) & 0xC0) == 0x80);
    }
    if (!id.has_value()) {
      ids.resize(first);
      append_unknown(word, options_.unk, ids);
      return;
    }
    ids.push_back(*id);
    begin = end;
  }
}

WordLevel::WordLevel(const Vocabulary& vocabulary, std::optional<int32_t> unk)
    : vocabulary_(vocabulary), unk_(unk) {}

void WordLevel::encode(std::string_view word, std::vector<int32_t>& ids) const {
  if (const std::optional<int32_t> id = vocabulary_.id_of(word)) {
    ids.push_back(*id);
  } else {
    append_unknown(word, unk_, ids);
  }
}

}  // namespace invar

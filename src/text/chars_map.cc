// A unit of the trie packs, from bit 0: label (8), leaf flag (1), shift flag (1), offset (21); a
// leaf's value is the unit's low 31 bits.
#include "text/chars_map.h"

#include <cstring>

#include "core/error.h"

namespace invar {
namespace {

size_t offset_of(uint32_t unit) {
  return static_cast<size_t>(unit >> 10) << ((unit & 512) >> 6);
}

// The unit's label, or something no byte equals if the unit is a value.
uint32_t label_of(uint32_t unit) {
  return unit & 0x800000FFu;
}

}  // namespace

CharsMap CharsMap::parse(std::string_view blob, std::string_view where) {
  uint32_t trie_bytes = 0;
  if (blob.size() >= sizeof(trie_bytes)) {
    std::memcpy(&trie_bytes, blob.data(), sizeof(trie_bytes));
  }
  if (blob.size() < sizeof(trie_bytes) || trie_bytes > blob.size() - sizeof(trie_bytes) ||
      trie_bytes % 4 != 0 || trie_bytes == 0) {
    fail(Code::kBadFile, "{}: precompiled_charsmap: expected a trie within {} bytes, found {}",
         where, blob.size(), trie_bytes);
  }
  CharsMap map;
  map.units_.resize(trie_bytes / 4);
  std::memcpy(map.units_.data(), blob.data() + sizeof(trie_bytes), trie_bytes);
  map.replacements_ = blob.substr(sizeof(trie_bytes) + trie_bytes);
  if (map.replacements_.empty() || map.replacements_.back() != '\0') {
    fail(Code::kBadFile, "{}: precompiled_charsmap: expected texts that end in a zero byte", where);
  }
  return map;
}

std::optional<CharsMap::Match> CharsMap::walk(std::string_view text, bool longest) const {
  std::optional<Match> match;
  size_t node = offset_of(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const uint32_t byte = static_cast<uint8_t>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || label_of(units_[node]) != byte) {
      break;
    }
    const bool is_leaf = ((units_[node] >> 8) & 1) != 0;
    node ^= offset_of(units_[node]);
    if (!is_leaf || node >= units_.size()) {
      continue;
    }
    const size_t value = units_[node] & 0x7FFFFFFFu;
    if (value < replacements_.size()) {
      // parse() made sure that a zero byte follows.
      match = Match{i + 1, std::string_view(replacements_.data() + value)};
      if (!longest) {
        break;
      }
    }
  }
  return match;
}

std::optional<CharsMap::Match> CharsMap::shortest_match(std::string_view text) const {
  return walk(text, false);
}

std::optional<CharsMap::Match> CharsMap::longest_match(std::string_view text) const {
  return walk(text, true);
}

}  // namespace invar

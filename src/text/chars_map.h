// The precompiled character map of SentencePiece models: a double-array trie from byte strings to
// replacement texts. Its bytes come from untrusted files: every step of a walk is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar {

class CharsMap {
 public:
  struct Match {
    size_t size;                   // bytes of the text that were matched
    std::string_view replacement;  // owned by the map
  };

  // `blob`: u32 size of the trie in bytes, the trie's u32 units (little endian), then replacement
  // texts, each ended by a zero byte. Error kBadFile naming `where` if the sizes do not fit.
  static CharsMap parse(std::string_view blob, std::string_view where);

  // The shortest and the longest key that `text` begins with. A damaged trie matches less.
  std::optional<Match> shortest_match(std::string_view text) const;
  std::optional<Match> longest_match(std::string_view text) const;

 private:
  std::optional<Match> walk(std::string_view text, bool longest) const;

  std::vector<uint32_t> units_;
  std::string replacements_;
};

}  // namespace invar

// Remembers, during one encode() call, which ids a piece of text became: words repeat.
// Direct-mapped and of fixed size, so hostile text cannot make it grow; a collision replaces the
// older piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace invar {

// One thread.
class PieceCache {
 public:
  static constexpr size_t kMaxPieceBytes = 32;  // longer pieces hardly ever repeat
  static constexpr size_t kEntries = 1 << 12;

  // Appends the remembered ids to `ids`; false if the piece is not known.
  [[nodiscard]] bool append_known(std::string_view piece, std::vector<int32_t>& ids);

  // Remembers that ids[first, end) are the ids of `piece`. `ids` only grows while the cache lives.
  void remember(std::string_view piece, const std::vector<int32_t>& ids, size_t first);

 private:
  struct Entry {
    uint32_t first_id = 0;  // into the ids of the whole call
    uint16_t num_ids = 0;
    uint8_t size = 0;  // of the piece; 0: empty
    char piece[kMaxPieceBytes];
  };

  Entry& entry_of(std::string_view piece);

  std::vector<Entry> entries_;  // made at the first use, so that short texts do not pay
};

}  // namespace invar

// A piece's ids are kept where they already are: in the output of the call.
#include "text/piece_cache.h"

#include <cstring>

#include "text/string_hash.h"

namespace invar {

PieceCache::Entry& PieceCache::entry_of(std::string_view piece) {
  if (entries_.empty()) {
    entries_.resize(kEntries);
  }
  return entries_[text_hash(piece) % kEntries];
}

bool PieceCache::append_known(std::string_view piece, std::vector<int32_t>& ids) {
  if (piece.empty() || piece.size() > kMaxPieceBytes) {
    return false;
  }
  const Entry& entry = entry_of(piece);
  if (entry.size != piece.size() || std::memcmp(entry.piece, piece.data(), piece.size()) != 0) {
    return false;
  }
  for (uint32_t i = 0; i < entry.num_ids; ++i) {
    ids.push_back(ids[entry.first_id + i]);
  }
  return true;
}

void PieceCache::remember(std::string_view piece, const std::vector<int32_t>& ids, size_t first) {
  const size_t num_ids = ids.size() - first;
  if (piece.empty() || piece.size() > kMaxPieceBytes || ids.size() > UINT32_MAX ||
      num_ids > UINT16_MAX) {
    return;
  }
  Entry& entry = entry_of(piece);
  entry.first_id = static_cast<uint32_t>(first);
  entry.num_ids = static_cast<uint16_t>(num_ids);
  entry.size = static_cast<uint8_t>(piece.size());
  std::memcpy(entry.piece, piece.data(), piece.size());
}

}  // namespace invar

// Two ways to merge with the same result: a scan over a small array for words, and a heap over a
// linked list for long pieces, so that a megabyte of one letter costs n log n.
#include "text/bpe.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "text/byte_alphabet.h"
#include "text/utf8.h"

namespace invar {
namespace {

// Up to this many symbols the quadratic scan is quicker than the heap (bpe_test's timing: equal at
// about 100).
constexpr size_t kShortPiece = 64;
constexpr int32_t kNoRank = std::numeric_limits<int32_t>::max();

bool merges_later(const BpeScratch::Candidate& a, const BpeScratch::Candidate& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
}

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options)
    : vocabulary_(vocabulary), merges_(std::move(merges)), options_(std::move(options)) {
  const bool decorated =
      !options_.continuing_subword_prefix.empty() || !options_.end_of_word_suffix.empty();
  INVAR_CHECK(!options_.byte_level || !decorated, "byte-level BPE has no prefix or suffix");
  if (!options_.byte_level && !decorated) {
    words_.emplace(vocabulary_);
    if (!words_->can_cut()) {
      words_.reset();
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    std::string token;
    if (options_.byte_level) {
      append_utf8(byte_character(static_cast<uint8_t>(byte)), token);
    } else {
      token = fmt::format("<0x{:02X}>", byte);
    }
    byte_ids_[static_cast<size_t>(byte)] = vocabulary_.id_of(token).value_or(-1);
  }
}

void Bpe::encode(std::string_view piece, BpeScratch& scratch, std::vector<int32_t>& ids) const {
  if (!words_.has_value()) {
    if (scratch.cache.append_known(piece, ids)) {
      return;
    }
    const size_t first = ids.size();
    if (!append_whole(piece, scratch, ids)) {
      encode_word(piece, scratch, ids);
    }
    scratch.cache.remember(piece, ids, first);
    return;
  }
  if (append_whole(piece, scratch, ids)) {
    return;
  }
  for (size_t begin = 0; begin < piece.size();) {
    scratch.stop.step();
    const size_t end = words_->word_end(piece, begin);
    const std::string_view word = piece.substr(begin, end - begin);
    if (!scratch.cache.append_known(word, ids)) {
      const size_t first = ids.size();
      encode_word(word, scratch, ids);
      scratch.cache.remember(word, ids, first);
    }
    begin = end;
  }
}

// A piece that is a token, where such pieces go before merges.
bool Bpe::append_whole(std::string_view piece, BpeScratch& scratch,
                       std::vector<int32_t>& ids) const {
  if (!options_.ignore_merges) {
    return false;
  }
  if (options_.byte_level) {
    scratch.spelled.clear();
    append_byte_characters(piece, scratch.spelled);
    piece = scratch.spelled;
  }
  const std::optional<int32_t> id = vocabulary_.id_of(piece);
  if (id.has_value()) {
    ids.push_back(*id);
  }
  return id.has_value();
}

void Bpe::encode_word(std::string_view word, BpeScratch& scratch, std::vector<int32_t>& ids) const {
  scratch.symbol_ids.clear();
  first_symbols(word, scratch);
  if (scratch.symbol_ids.size() <= kShortPiece) {
    merge_short(scratch);
  } else {
    merge_long(scratch);
  }
  ids.insert(ids.end(), scratch.symbol_ids.begin(), scratch.symbol_ids.end());
}

void Bpe::first_symbols(std::string_view piece, BpeScratch& scratch) const {
  if (!options_.byte_level) {
    character_symbols(piece, scratch);
    return;
  }
  std::vector<int32_t>& symbols = scratch.symbol_ids;
  for (const char byte : piece) {
    const int32_t id = byte_ids_[static_cast<uint8_t>(byte)];
    if (id >= 0) {
      symbols.push_back(id);
    } else if (options_.unk.has_value() &&
               !(options_.fuse_unk && !symbols.empty() && symbols.back() == *options_.unk)) {
      symbols.push_back(*options_.unk);
    }
  }
}

bool Bpe::append_fallback_bytes(std::string_view text, std::vector<int32_t>& symbols) const {
  for (const char byte : text) {
    if (byte_ids_[static_cast<uint8_t>(byte)] < 0) {
      return false;
    }
  }
  for (const char byte : text) {
    symbols.push_back(byte_ids_[static_cast<uint8_t>(byte)]);
  }
  return true;
}

void Bpe::character_symbols(std::string_view piece, BpeScratch& scratch) const {
  std::vector<int32_t>& symbols = scratch.symbol_ids;
  bool pending_unk = false;
  const auto flush_unk = [&] {
    if (pending_unk) {
      symbols.push_back(*options_.unk);
      pending_unk = false;
    }
  };
  std::string decorated;
  for (size_t at = 0; at < piece.size();) {
    scratch.stop.step();
    const size_t begin = at;
    next_code(piece, at);
    std::string_view character = piece.substr(begin, at - begin);
    const bool prefixed = begin > 0 && !options_.continuing_subword_prefix.empty();
    const bool suffixed = at == piece.size() && !options_.end_of_word_suffix.empty();
    if (prefixed || suffixed) {
      decorated = prefixed ? options_.continuing_subword_prefix : "";
      decorated += character;
      decorated += suffixed ? options_.end_of_word_suffix : "";
      character = decorated;
    }
    if (const std::optional<int32_t> id = vocabulary_.id_of(character)) {
      flush_unk();
      symbols.push_back(*id);
    } else if (options_.byte_fallback && append_fallback_bytes(character, symbols)) {
      // A pending unk stays pending, as in the format's reference.
    } else if (options_.unk.has_value()) {
      if (!options_.fuse_unk) {
        flush_unk();
      }
      pending_unk = true;
    }
  }
  flush_unk();
}

void Bpe::merge_short(BpeScratch& scratch) const {
  std::vector<int32_t>& ids = scratch.symbol_ids;
  std::vector<int32_t>& ranks = scratch.ranks;  // ranks[i]: of the pair (i, i + 1)
  const auto rank_at = [&](size_t i) {
    const Merge* merge = i + 1 < ids.size() ? merges_.find(ids[i], ids[i + 1]) : nullptr;
    return merge == nullptr ? kNoRank : merge->rank;
  };
  ranks.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    ranks[i] = rank_at(i);
  }
  while (ids.size() > 1) {
    const auto lowest = std::min_element(ranks.begin(), ranks.end());
    if (*lowest == kNoRank) {
      break;
    }
    const size_t at = static_cast<size_t>(lowest - ranks.begin());
    ids[at] = merges_.find(ids[at], ids[at + 1])->merged;
    ids.erase(ids.begin() + static_cast<ptrdiff_t>(at) + 1);
    ranks.erase(ranks.begin() + static_cast<ptrdiff_t>(at) + 1);
    ranks[at] = rank_at(at);
    if (at > 0) {
      ranks[at - 1] = rank_at(at - 1);
    }
  }
}

void Bpe::push_candidate(BpeScratch& scratch, int32_t left) const {
  const BpeScratch::Symbol& symbol = scratch.symbols[static_cast<size_t>(left)];
  if (symbol.next < 0) {
    return;
  }
  const int32_t right_id = scratch.symbols[static_cast<size_t>(symbol.next)].id;
  if (const Merge* merge = merges_.find(symbol.id, right_id)) {
    scratch.heap.push_back({merge->rank, left, symbol.id, right_id, merge->merged});
  }
}

void Bpe::merge_long(BpeScratch& scratch) const {
  const int32_t count = static_cast<int32_t>(scratch.symbol_ids.size());
  std::vector<BpeScratch::Symbol>& symbols = scratch.symbols;
  std::vector<BpeScratch::Candidate>& heap = scratch.heap;
  symbols.clear();
  heap.clear();
  for (int32_t i = 0; i < count; ++i) {
    symbols.push_back(
        {scratch.symbol_ids[static_cast<size_t>(i)], i - 1, i + 1 < count ? i + 1 : -1});
  }
  for (int32_t i = 0; i < count; ++i) {
    scratch.stop.step();
    push_candidate(scratch, i);
  }
  std::make_heap(heap.begin(), heap.end(), merges_later);
  while (!heap.empty()) {
    scratch.stop.step();
    std::pop_heap(heap.begin(), heap.end(), merges_later);
    const BpeScratch::Candidate best = heap.back();
    heap.pop_back();
    BpeScratch::Symbol& left = symbols[static_cast<size_t>(best.left)];
    // A candidate is stale when either symbol was merged meanwhile; merged-away ids are -1.
    if (left.id != best.left_id || left.next < 0 ||
        symbols[static_cast<size_t>(left.next)].id != best.right_id) {
      continue;
    }
    BpeScratch::Symbol& right = symbols[static_cast<size_t>(left.next)];
    left.id = best.merged;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) {
      symbols[static_cast<size_t>(left.next)].previous = best.left;
    }
    const size_t before = heap.size();
    push_candidate(scratch, best.left);
    if (left.previous >= 0) {
      push_candidate(scratch, left.previous);
    }
    for (size_t size = before + 1; size <= heap.size(); ++size) {
      std::push_heap(heap.begin(), heap.begin() + static_cast<ptrdiff_t>(size), merges_later);
    }
  }
  scratch.symbol_ids.clear();
  for (int32_t i = 0; i >= 0 && i < count; i = symbols[static_cast<size_t>(i)].next) {
    scratch.symbol_ids.push_back(symbols[static_cast<size_t>(i)].id);
  }
}

}  // namespace invar

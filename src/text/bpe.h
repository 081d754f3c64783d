// Byte-pair encoding of one piece of text: begin with single characters (or bytes) and merge the
// adjacent pair of lowest rank, leftmost first, until none is left.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/stop_check.h"
#include "text/marked_words.h"
#include "text/merge_table.h"
#include "text/piece_cache.h"
#include "text/vocabulary.h"

namespace invar {

struct BpeOptions {
  // The first symbols are bytes, spelled in the byte alphabet by the vocabulary. Otherwise they are
  // characters. Not together with a prefix or suffix.
  bool byte_level = false;
  bool byte_fallback = false;  // an unknown character becomes tokens <0x00>..<0xFF> if all exist
  bool ignore_merges = false;  // a piece that is a token is that token, whatever the merges say
  bool fuse_unk = false;       // neighbouring unknown characters become one unk
  std::optional<int32_t> unk;  // unset: unknown characters are dropped
  std::string continuing_subword_prefix;
  std::string end_of_word_suffix;
};

// Buffers and the piece cache of one encode() call. One thread; `ids` must be the same vector for
// all calls that share a scratch.
struct BpeScratch {
  struct Symbol {
    int32_t id;
    int32_t previous;  // indices of symbols; -1 at the ends
    int32_t next;
  };
  struct Candidate {
    int32_t rank;
    int32_t left;  // index of the left symbol
    int32_t left_id;
    int32_t right_id;
    int32_t merged;
  };
  PieceCache cache;
  StopCheck stop = {};
  std::vector<int32_t> symbol_ids;
  std::vector<int32_t> ranks;
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;
  std::string spelled;
};

// Const use is safe from many threads.
class Bpe {
 public:
  // `vocabulary` must outlive this.
  Bpe(const Vocabulary& vocabulary, MergeTable merges, BpeOptions options);

  // Appends the ids of `piece` to `ids`. A piece has at most 2^31 - 1 bytes.
  void encode(std::string_view piece, BpeScratch& scratch, std::vector<int32_t>& ids) const;

  const BpeOptions& options() const { return options_; }

 private:
  bool append_whole(std::string_view piece, BpeScratch& scratch, std::vector<int32_t>& ids) const;
  void encode_word(std::string_view word, BpeScratch& scratch, std::vector<int32_t>& ids) const;
  void first_symbols(std::string_view piece, BpeScratch& scratch) const;
  void character_symbols(std::string_view piece, BpeScratch& scratch) const;
  bool append_fallback_bytes(std::string_view text, std::vector<int32_t>& symbols) const;
  void merge_short(BpeScratch& scratch) const;
  void merge_long(BpeScratch& scratch) const;
  void push_candidate(BpeScratch& scratch, int32_t left) const;

  const Vocabulary& vocabulary_;
  MergeTable merges_;
  BpeOptions options_;
  std::optional<MarkedWords> words_;  // for characters without decoration only
  std::array<int32_t, 256>
      byte_ids_;  // of byte-level or fallback tokens; -1: not in the vocabulary
};

}  // namespace invar

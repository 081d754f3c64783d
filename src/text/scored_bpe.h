// SentencePiece's byte-pair encoding: begin with characters and merge the adjacent pair whose
// joined text is the token of highest score, leftmost first, until no pair forms a token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/stop_check.h"
#include "text/marked_words.h"
#include "text/piece_cache.h"
#include "text/vocabulary.h"

namespace invar {

// The piece cache of one encode() call. One thread; `ids` must be the same vector for all calls
// that share a scratch.
struct ScoredBpeScratch {
  PieceCache cache;
  StopCheck stop = {};
};

// Const use is safe from many threads.
class ScoredBpe {
 public:
  // scores[id] for each id of `vocabulary`, which must outlive this. A character that is no token
  // becomes byte tokens <0x00>..<0xFF>; where those are missing, `unk`, or nothing.
  ScoredBpe(const Vocabulary& vocabulary, std::vector<float> scores, std::optional<int32_t> unk);

  // Appends the ids of `piece` to `ids`. A piece has at most 2^31 - 1 bytes.
  void encode(std::string_view piece, ScoredBpeScratch& scratch, std::vector<int32_t>& ids) const;

 private:
  struct Run;
  void encode_word(std::string_view word, StopCheck& stop, std::vector<int32_t>& ids) const;
  void append_symbol(std::string_view text, std::vector<int32_t>& ids) const;

  const Vocabulary& vocabulary_;
  std::vector<float> scores_;
  std::vector<int32_t> byte_ids_;  // 256; -1: no such token
  std::optional<int32_t> unk_;
  MarkedWords words_;
  size_t longest_token_ = 0;  // bytes
};

}  // namespace invar

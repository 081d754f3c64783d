// The model of a vocabulary: how one piece of text becomes ids.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "text/bpe.h"
#include "text/scored_bpe.h"
#include "text/unigram.h"
#include "text/wordpiece.h"

namespace invar {

// monostate: not set yet.
using TokenModel = std::variant<std::monostate, Bpe, ScoredBpe, Unigram, WordPiece, WordLevel>;

// Buffers of one encode() call.
struct TokenModelScratch {
  TokenModelScratch() = default;
  explicit TokenModelScratch(const std::stop_token& token) : stop(token) {
    bpe.stop = stop;
    scored_bpe.stop = stop;
  }
  BpeScratch bpe;
  ScoredBpeScratch scored_bpe;
  StopCheck stop;
};

// Appends the ids of `piece` to `ids`. Error kExhausted for a piece of 2 GiB or more.
void encode_piece(const TokenModel& model, std::string_view piece, TokenModelScratch& scratch,
                  std::vector<int32_t>& ids);

}  // namespace invar

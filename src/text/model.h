// The model of a vocabulary: how one piece of text becomes ids.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "text/bpe.h"

namespace invar {

// monostate: not set yet.
using TokenModel = std::variant<std::monostate, Bpe>;

// Buffers of one encode() call.
struct TokenModelScratch {
  BpeScratch bpe;
};

// Appends the ids of `piece` to `ids`.
void encode_piece(const TokenModel& model, std::string_view piece, TokenModelScratch& scratch,
                  std::vector<int32_t>& ids);

}  // namespace invar

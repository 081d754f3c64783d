// The decoder that Qwen3-Next and Qwen3.5 share: three Gated DeltaNet layers to one of gated
// attention, each followed by a dense feed-forward or a mixture of experts. The tensors of a Gated
// DeltaNet are accepted in both spellings, fused by key head and one by one.
#pragma once

#include <optional>

#include "models/qwen_moe.h"

namespace invar {

struct QwenHybridTraits {
  std::optional<QwenMoeTraits> experts;  // none: all feed-forwards are dense
};

FamilyOutput build_qwen_hybrid(FamilyInput& input, const QwenHybridTraits& traits);

}  // namespace invar

// The mixtures of experts of the Qwen families: their configuration keys, their tensors, and the
// layer that takes the place of a dense feed-forward.
#pragma once

#include "models/expert_tensors.h"

namespace invar {

struct QwenMoe {
  int64_t experts = 0;
  int64_t top_k = 0;
  int64_t width = 0;         // of an expert
  int64_t shared_width = 0;  // of the shared expert, gated by a sigmoid; 0: there is none
  bool renormalize = false;
  std::vector<bool> is_sparse;  // by layer: experts, or a dense feed-forward
};

struct QwenMoeTraits {
  bool renormalize = false;  // what an absent norm_topk_prob means in config.json
  bool shared = false;       // the family has a shared expert
};

// Sizes are checked. A layer without experts needs intermediate_size.
QwenMoe read_qwen_moe(ConfigReader& reader, const ModelConfig& config, const QwenMoeTraits& traits);

// x + experts(norm(x)).
Value qwen_moe(Builder& b, DecoderTensors& tensors, Value x, int layer, const QwenMoe& m,
               const NormWeights& norm);

}  // namespace invar

// Loads the experts of a layer under every spelling that checkpoints use:
//   one tensor an expert       mlp.experts.3.gate_proj.weight [width, columns], and up and down
//   fused, all experts in one  mlp.experts.gate_up_proj [experts, 2 * width, columns], gate first,
//   and
//                              mlp.experts.down_proj [experts, columns, width]
//   GGUF                       ffn_gate_exps, ffn_up_exps [experts, width, columns], ffn_down_exps
// All become stacked matrices (layers/moe.h); quantized ones stay packed.
#pragma once

#include "layers/moe.h"
#include "models/decoder_tensors.h"

namespace invar {

// Hugging Face names; `{}` is the layer, and a second one the expert. Without ".weight" where the
// tensor has none.
struct ExpertNames {
  std::string_view gate;  // for example "model.layers.{}.mlp.experts.{}.gate_proj.weight"
  std::string_view up;
  std::string_view down;
  std::string_view fused_gate_up;  // empty: the family has no fused spelling
  std::string_view fused_down;
};

struct ExpertSizes {
  int64_t experts = 0;
  int64_t width = 0;    // rows of gate and of up
  int64_t columns = 0;  // of gate and up; rows of down
};

// kUnsupported where width or columns is no multiple of 16, because a panel of packed rows must not
// hold rows of two experts.
Experts load_experts(DecoderTensors& tensors, const ExpertNames& names, int layer,
                     const ExpertSizes& sizes);

}  // namespace invar

// The plain decoder that llama, qwen2 and qwen3 share: pre-norm grouped-query attention and a
// SwiGLU feed-forward (or a mixture of experts) in every layer, a final norm and a head. Families
// say how theirs differs.
#pragma once

#include "models/qwen_moe.h"

namespace invar {

struct DenseDecoderTraits {
  bool tied_by_default = false;  // what an absent tie_word_embeddings means in config.json
  bool qkv_bias = false;
  bool out_bias = false;
  bool mlp_bias = false;
  bool qk_norm = false;
  // GGUF stores q and k with rotary pairs side by side; they are put back at load.
  bool gguf_paired_rope = false;
  // Null, or experts in place of some layers' feed-forward; read until the program is built.
  const QwenMoe* experts = nullptr;
};

// `config` has been read; the traits may depend on it.
FamilyOutput build_dense_decoder(FamilyInput& input, ModelConfig config,
                                 const DenseDecoderTraits& traits);

}  // namespace invar

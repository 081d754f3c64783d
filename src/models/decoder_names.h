// The names of the tensors that most published decoders share.
#pragma once

#include "models/decoder_tensors.h"

namespace invar::names {

inline constexpr TensorName kEmbedding{"model.embed_tokens", "token_embd"};
inline constexpr TensorName kFinalNorm{"model.norm", "output_norm"};
inline constexpr TensorName kHead{"lm_head", "output"};
inline constexpr TensorName kInputNorm{"model.layers.{}.input_layernorm", "blk.{}.attn_norm"};
inline constexpr TensorName kQ{"model.layers.{}.self_attn.q_proj", "blk.{}.attn_q"};
inline constexpr TensorName kK{"model.layers.{}.self_attn.k_proj", "blk.{}.attn_k"};
inline constexpr TensorName kV{"model.layers.{}.self_attn.v_proj", "blk.{}.attn_v"};
inline constexpr TensorName kOut{"model.layers.{}.self_attn.o_proj", "blk.{}.attn_output"};
inline constexpr TensorName kQNorm{"model.layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"};
inline constexpr TensorName kKNorm{"model.layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"};

}  // namespace invar::names

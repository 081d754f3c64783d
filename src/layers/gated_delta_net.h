// Gated DeltaNet (Qwen3-Next, Qwen3.5): a causal convolution over q, k and v, the gated delta rule,
// a gated norm per head, and an output projection.
#pragma once

#include <string>

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct GatedDeltaNet {
  NormWeights input_norm;
  Projection qkvzba;  // q | k | v together, z, b, a: four sources
  std::string conv_name;
  TensorView conv;  // [taps, 2 * key_heads * key_dim + value_heads * value_dim]
  std::string gates_name;
  TensorView a_log;    // [1, value_heads]
  TensorView dt_bias;  // [1, value_heads]
  NormWeights norm;    // [value_dim], plain weight
  LinearWeights out;   // [hidden, value_heads * value_dim]
  int64_t key_heads = 0;
  int64_t value_heads = 0;
  int64_t key_dim = 0;
  int64_t value_dim = 0;
  bool tiled_heads = false;  // see delta_rule_key_head
};

Value gated_delta_net(Builder& b, Value x, const GatedDeltaNet& g);

}  // namespace invar

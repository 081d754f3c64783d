// Kimi Delta Attention: a causal convolution over q, k and v, the delta rule with a decay for each
// key channel, a gated norm per head, and an output projection.
//
//   q | k | v = silu(conv(qkv(h)));  beta = sigmoid(b(h));  z = f_b(f_a(h))
//   log decay = -exp(a_log) * softplus(z + dt_bias), or lower_bound * sigmoid(exp(a_log) * (z +
//   dt_bias)) result    = addend + out(norm(delta_rule(...)) * sigmoid(gate)),  gate = g(h), or
//   g_b(g_a(h))
//
// The caller normalises: `h` is the normed input; `addend` is optional.
#pragma once

#include <optional>
#include <string>

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct KimiDeltaAttention {
  LinearWeights qkv;  // [3 * heads * head_dim, hidden]
  Projection bfg;     // b [heads], f_a [rank], and g [heads * head_dim] or g_a [rank]
  LinearWeights f_b;  // [heads * head_dim, rank]
  std::optional<LinearWeights> g_b;
  std::string conv_name;
  TensorView conv;  // [taps, 3 * heads * head_dim]
  std::string gates_name;
  TensorView a_log;                  // [1, heads]
  TensorView dt_bias;                // [1, heads * head_dim]
  std::optional<float> lower_bound;  // of the log decay; without one it is unbounded
  NormWeights norm;                  // [head_dim]
  LinearWeights out;                 // [hidden, heads * head_dim]
  int64_t heads = 0;
  int64_t head_dim = 0;
};

Value kimi_delta_attention(Builder& b, Value h, Value addend, const KimiDeltaAttention& k);

}  // namespace invar

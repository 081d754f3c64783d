// Mamba-2's mixer: x + out(norm(ssd(conv(xBC)) gated by z)) with [z | xBC | dt] = in(norm(x)).
#pragma once

#include <string>

#include "backend/ops/ssd.h"
#include "program/builder.h"

namespace invar {

struct Mamba2Mixer {
  NormWeights input_norm;
  LinearWeights in;  // [2 * heads * head_dim + 2 * groups * state_size + heads, hidden]
  std::string conv_name;
  TensorView conv;       // [taps, heads * head_dim + 2 * groups * state_size]
  TensorView conv_bias;  // optional
  SsdWeights ssd;
  SsdAttributes sizes;
  NormWeights norm;   // [heads * head_dim], over the whole width, after the gate
  LinearWeights out;  // [hidden, heads * head_dim]
};

Value mamba2_mixer(Builder& b, Value x, const Mamba2Mixer& m);

}  // namespace invar

// Pre-norm gated feed-forward: x + down(silu(gate(norm(x))) * up(norm(x))).
#pragma once

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct SwigluMlp {
  NormWeights input_norm;
  Projection gate_up;  // gate and up, [intermediate] each
  LinearWeights down;  // [hidden, intermediate]
};

Value swiglu_mlp(Builder& b, Value x, const SwigluMlp& m);

}  // namespace invar

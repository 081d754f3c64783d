// A gated feed-forward: addend + down(activation(gate(h), up(h))). The caller normalises: `h` is
// the normed input; `addend` is optional.
#pragma once

#include "layers/gated_activation.h"
#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct GatedMlp {
  Projection gate_up;  // gate and up, [intermediate] each
  LinearWeights down;  // [hidden, intermediate]
  GatedActivation activation;
};

Value gated_mlp(Builder& b, Value h, Value addend, const GatedMlp& m);

}  // namespace invar

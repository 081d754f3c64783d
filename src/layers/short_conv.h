// LFM2's short convolution block: x + out(C * conv(B * X)) with [B | C | X] = in(norm(x)).
#pragma once

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct ShortConv {
  NormWeights input_norm;
  LinearWeights in;  // [3 * channels, hidden]: B, C, X
  std::string conv_name;
  TensorView conv;    // [taps, channels] f32
  LinearWeights out;  // [hidden, channels]
};

Value short_conv(Builder& b, Value x, const ShortConv& s);

}  // namespace invar

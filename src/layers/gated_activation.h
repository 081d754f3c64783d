// The activations of gated feed-forwards: functions of gate and up that emit one op.
#pragma once

#include <functional>

#include "program/builder.h"

namespace invar {

using GatedActivation = std::function<Value(Builder& b, Value gate, Value up)>;

GatedActivation swiglu();
GatedActivation situ_glu(const SituMulAttributes& attributes);

}  // namespace invar

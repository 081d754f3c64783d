// See swiglu_mlp.h.
#include "layers/swiglu_mlp.h"

#include "layers/projection.h"

namespace invar {

Value swiglu_mlp(Builder& b, Value x, const SwigluMlp& m) {
  const Value h = b.rms_norm(x, m.input_norm);
  const std::vector<Value> gate_up = project(b, h, m.gate_up);
  return b.add(x, b.linear(b.silu_mul(gate_up[0], gate_up[1]), m.down));
}

}  // namespace invar

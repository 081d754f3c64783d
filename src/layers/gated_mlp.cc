// See gated_mlp.h.
#include "layers/gated_mlp.h"

#include "layers/projection.h"

namespace invar {

Value gated_mlp(Builder& b, Value h, Value addend, const GatedMlp& m) {
  const std::vector<Value> gate_up = project(b, h, m.gate_up);
  const Value result = b.linear(m.activation(b, gate_up[0], gate_up[1]), m.down);
  return addend ? b.add(addend, result) : result;
}

}  // namespace invar

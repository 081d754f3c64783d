// See gated_activation.h.
#include "layers/gated_activation.h"

namespace invar {

GatedActivation swiglu() {
  return [](Builder& b, Value gate, Value up) { return b.silu_mul(gate, up); };
}

GatedActivation situ_glu(const SituMulAttributes& attributes) {
  return
      [attributes](Builder& b, Value gate, Value up) { return b.situ_mul(gate, up, attributes); };
}

}  // namespace invar

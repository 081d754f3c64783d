// Element types as kernels see them: distinct types of the right size, so that one template over
// the element picks the vector type's load and store by overload. Conversions live in vec_*.h.
#pragma once

#include <cstdint>

namespace invar::cpu {

struct BF16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

}  // namespace invar::cpu

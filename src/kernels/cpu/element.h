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

// The element type behind a raw pointer of a kernel's arguments.
enum class Element : uint8_t { kF32, kBF16, kF16 };

}  // namespace invar::cpu

// The kernels of one instruction set as plain function pointers, and the argument structs they
// take. Kernels know raw pointers and sizes only; shapes were checked by the op's validate.
//
// All tables give equal bits (docs/numerics.md). Strides are in bytes from one row to the next.
// A kernel computes what its arguments say on the calling thread; the backend splits the work.
#pragma once

#include <cstdint>

#include "kernels/cpu/element.h"

namespace invar::cpu {

// out[i] = a[i] + b[i] for count elements; out may be a or b.
struct AddKernel {
  const float* a;
  const float* b;
  float* out;
  int64_t count;
};

struct KernelTable {
  const char* isa;  // "portable", "avx2", "avx512"
  void (*add)(const AddKernel&);
};

// One per folder; call only what detect_cpu_features allows.
const KernelTable& portable_kernels();
const KernelTable& avx2_kernels();
const KernelTable& avx512_kernels();

}  // namespace invar::cpu

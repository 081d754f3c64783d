// Instantiates every kernel for the AVX-512 vector type.
#include "kernels/cpu/add.h"
#include "kernels/cpu/vec_avx512.h"

namespace invar::cpu {

const KernelTable& avx512_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecAvx512::kName,
      .add = add<VecAvx512>,
  };
  return kTable;
}

}  // namespace invar::cpu

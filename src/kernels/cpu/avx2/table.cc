// Instantiates every kernel for the AVX2 vector type.
#include "kernels/cpu/add.h"
#include "kernels/cpu/vec_avx2.h"

namespace invar::cpu {

const KernelTable& avx2_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecAvx2::kName,
      .add = add<VecAvx2>,
  };
  return kTable;
}

}  // namespace invar::cpu

// Instantiates every kernel for the portable vector type.
#include "kernels/cpu/add.h"
#include "kernels/cpu/vec_portable.h"

namespace invar::cpu {

const KernelTable& portable_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecPortable::kName,
      .add = add<VecPortable>,
  };
  return kTable;
}

}  // namespace invar::cpu

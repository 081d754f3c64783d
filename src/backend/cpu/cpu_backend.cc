// Construction of the CPU backend; the ops are in the files that bear their names.
#include "backend/cpu/cpu_backend.h"

namespace invar {

CpuBackend::CpuBackend(const cpu::KernelTable& kernels)
    : kernels_(kernels), name_(fmt::format("cpu/{}", kernels.isa)) {}

}  // namespace invar

// The list of backends.
#include "backend/registry.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa.h"
#include "backend/ref/ref_backend.h"
#include "kernels/cpu/cpu_features.h"

namespace invar {

std::vector<std::string_view> supported_isas() {
  return isas_for(cpu::detect_cpu_features());
}

std::unique_ptr<Backend> make_cpu_backend(std::string_view isa) {
  return std::make_unique<CpuBackend>(kernels_for(isa, cpu::detect_cpu_features()));
}

std::unique_ptr<Backend> make_ref_backend() {
  return std::make_unique<RefBackend>();
}

}  // namespace invar

// The list of the CPU backend's instruction sets.
#include "backend/cpu/isa.h"

#include <algorithm>

#include "core/error.h"

namespace invar {
namespace {

struct Isa {
  std::string_view name;
  bool (*supported)(const cpu::CpuFeatures& features);
  const cpu::KernelTable& (*kernels)();
};

constexpr Isa kIsas[] = {
    // best first
    {"avx512", [](const cpu::CpuFeatures& features) { return features.avx512; },
     cpu::avx512_kernels},
    {"avx2", [](const cpu::CpuFeatures& features) { return features.avx2; }, cpu::avx2_kernels},
    {"portable", [](const cpu::CpuFeatures&) { return true; }, cpu::portable_kernels},
};

}  // namespace

std::vector<std::string_view> isas_for(const cpu::CpuFeatures& features) {
  std::vector<std::string_view> names;
  for (const Isa& isa : kIsas) {
    if (isa.supported(features)) {
      names.push_back(isa.name);
    }
  }
  return names;
}

const cpu::KernelTable& kernels_for(std::string_view isa, const cpu::CpuFeatures& features) {
  const std::vector<std::string_view> supported = isas_for(features);
  const std::string_view wanted = isa.empty() ? supported.front() : isa;
  const auto* row = std::ranges::find(kIsas, wanted, &Isa::name);
  if (row == std::ranges::end(kIsas)) {
    fail(Code::kBadArgument, "instruction set: expected one of {}, found '{}'",
         fmt::join(supported, ", "), wanted);
  }
  if (!row->supported(features)) {
    fail(Code::kUnsupported, "instruction set '{}': this processor has only {}", wanted,
         fmt::join(supported, ", "));
  }
  return row->kernels();
}

}  // namespace invar

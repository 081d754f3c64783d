// The instruction sets of the CPU backend, as a function of what the processor has.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/kernel_table.h"

namespace invar {

// Best first; "portable" is always among them.
std::vector<std::string_view> isas_for(const cpu::CpuFeatures& features);

// `isa`: a name, or empty for the best. Throws kBadArgument for an unknown name and kUnsupported
// for one that `features` lack.
const cpu::KernelTable& kernels_for(std::string_view isa, const cpu::CpuFeatures& features);

}  // namespace invar

// Makes backends by name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace invar {

// Instruction sets of the CPU backend, best first: those that this machine can run. "portable" runs
// everywhere, and gives the same bits as the others.
std::vector<std::string_view> supported_isas();

// `isa`: one of supported_isas(), or empty for the best. Throws kBadArgument for an unknown name
// and kUnsupported for one that this processor lacks, with the list of those it has.
std::unique_ptr<Backend> make_cpu_backend(std::string_view isa);

// The scalar definitions of backend/ref: slow, written to be read. For tests.
std::unique_ptr<Backend> make_ref_backend();

}  // namespace invar

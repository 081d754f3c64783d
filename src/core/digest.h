// Digests of bytes, by XXH3 (not cryptographic): for comparing runs and for identities of models.
#pragma once

#include <cstddef>
#include <cstdint>

namespace invar {

uint64_t digest64(const void* data, size_t bytes);

}  // namespace invar

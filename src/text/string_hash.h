// The hash of the text module's tables: XXH3 over bytes. Not stored anywhere, so it may change.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace invar {

inline uint64_t text_hash(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace invar

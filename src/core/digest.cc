// The one place that knows xxHash.
#include "core/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace invar {

uint64_t digest64(const void* data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

}  // namespace invar

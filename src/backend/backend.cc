// The part of Backend that the per-op defaults need out of line.
#include "backend/backend.h"

namespace invar::internal {

std::string_view backend_name(const Backend& backend) {
  return backend.name();
}

}  // namespace invar::internal

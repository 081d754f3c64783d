// See stop_check.h.
#include "core/stop_check.h"

#include "core/error.h"

namespace invar {

void StopCheck::look() const {
  if (token_.stop_requested()) {
    fail(Code::kExhausted, "stopped: nobody waits for the result");
  }
}

}  // namespace invar

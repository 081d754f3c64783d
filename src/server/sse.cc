// See sse.h.
#include "server/sse.h"

namespace invar {

std::string sse_event(std::string_view data) {
  std::string event = "data: ";
  for (const char c : data) {
    event += c;
    if (c == '\n') {
      event += "data: ";
    }
  }
  return event + "\n\n";
}

}  // namespace invar

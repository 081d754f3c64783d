// Escaping of untrusted names for messages (printable.h).
#include "formats/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace invar {

std::string printable(std::string_view text, size_t bytes_max) {
  std::string shown;
  for (const char c : text.substr(0, bytes_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown.push_back(c);
    } else {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte);
    }
  }
  if (text.size() > bytes_max) {
    shown += "...";
  }
  return shown;
}

}  // namespace invar

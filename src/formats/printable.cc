// Escaping of untrusted names for messages (printable.h).
#include "formats/printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

std::string first_few(std::span<const std::string> items, std::string_view separator) {
  constexpr size_t kShown = 8;
  const size_t shown = std::min(items.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(items.first(shown), separator));
  if (items.size() > shown) {
    text += fmt::format("{}and {} more", separator, items.size() - shown);
  }
  return text;
}

}  // namespace invar

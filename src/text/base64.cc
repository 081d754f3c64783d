// Four characters are three bytes.
#include "text/base64.h"

#include <cstdint>

namespace invar {
namespace {

int digit(char c) {
  if (c >= 'A' && c <= 'Z') {
    return c - 'A';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 26;
  }
  if (c >= '0' && c <= '9') {
    return c - '0' + 52;
  }
  if (c == '+') {
    return 62;
  }
  return c == '/' ? 63 : -1;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    int padding = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const char c = text[at + i];
      const bool padded = last && c == '=' && i >= 2;
      const int value = padded ? 0 : digit(c);
      if (value < 0 || (padding > 0 && !padded)) {
        return std::nullopt;
      }
      padding += padded ? 1 : 0;
      bits = (bits << 6) | static_cast<uint32_t>(value);
    }
    for (int i = 0; i < 3 - padding; ++i) {
      bytes.push_back(static_cast<char>((bits >> (16 - 8 * i)) & 0xFF));
    }
  }
  return bytes;
}

}  // namespace invar

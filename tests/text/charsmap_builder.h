// Test support: a precompiled character map with a few one-byte and two-byte keys.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace invar::test {

// The map { "a" -> "X", "ab" -> "YZ", "\x01" -> "" }: a double-array trie laid out by hand. The
// root's children lie at offset 0x100 ^ byte, those of "a" at 0x200 ^ byte; a node's value lies at
// its own offset with byte 0.
inline std::string small_charsmap() {
  const std::string texts("X\0YZ\0\0", 6);
  std::vector<uint32_t> units(0x600, 0x80000000u);  // labels that no byte has
  const auto node = [](uint32_t at, uint32_t target, uint32_t label) {
    // offset (bits 10..30), leaf flag (bit 8), label
    return ((at ^ target) << 10) | 0x100u | label;
  };
  units[0] = 0x100u << 10;
  units[0x100 ^ 'a'] = node(0x100 ^ 'a', 0x200, 'a');
  units[0x200] = 0x80000000u | 0;  // "X"
  units[0x200 ^ 'b'] = node(0x200 ^ 'b', 0x300, 'b');
  units[0x300] = 0x80000000u | 2;  // "YZ"
  units[0x100 ^ 1] = node(0x100 ^ 1, 0x400, 1);
  units[0x400] = 0x80000000u | 5;  // ""
  std::string blob(4 + units.size() * 4, '\0');
  const uint32_t bytes = static_cast<uint32_t>(units.size() * 4);
  std::memcpy(blob.data(), &bytes, 4);
  std::memcpy(blob.data() + 4, units.data(), bytes);
  return blob + texts;
}

}  // namespace invar::test

// The two tables, made at compile time.
#include "text/byte_alphabet.h"

#include <array>

#include "text/utf8.h"

namespace invar {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The bytes that do not stand for themselves take U+0100, U+0101, ... in ascending order.
constexpr int kAlphabetEnd = 0x100 + 68;

constexpr std::array<uint16_t, 256> make_characters() {
  std::array<uint16_t, 256> table{};
  uint16_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    table[byte] = stands_for_itself(byte) ? static_cast<uint16_t>(byte) : next++;
  }
  return table;
}

constexpr std::array<uint16_t, 256> kCharacters = make_characters();

constexpr std::array<int16_t, kAlphabetEnd> make_bytes() {
  std::array<int16_t, kAlphabetEnd> table{};
  table.fill(-1);
  for (int byte = 0; byte < 256; ++byte) {
    table[kCharacters[byte]] = static_cast<int16_t>(byte);
  }
  return table;
}

constexpr std::array<int16_t, kAlphabetEnd> kBytes = make_bytes();

}  // namespace

char32_t byte_character(uint8_t byte) {
  return kCharacters[byte];
}

int character_byte(char32_t character) {
  return character < kAlphabetEnd ? kBytes[character] : -1;
}

void append_byte_characters(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) {
    append_utf8(kCharacters[static_cast<uint8_t>(byte)], out);
  }
}

void append_spelled_bytes(std::string_view token, std::string& out) {
  const size_t start = out.size();
  for (size_t at = 0; at < token.size();) {
    const int byte = character_byte(next_code(token, at));
    if (byte < 0) {
      out.resize(start);
      out.append(token);
      return;
    }
    out.push_back(static_cast<char>(byte));
  }
}

}  // namespace invar

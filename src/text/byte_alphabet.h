// The alphabet in which byte-level vocabularies are written: every byte has one printable character
// (byte 0x20 is U+0120, printable Latin-1 stands for itself, the rest follow from U+0100 on).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace invar {

// The character that stands for `byte`.
char32_t byte_character(uint8_t byte);

// The byte that `character` stands for, or -1 if it is outside the alphabet.
int character_byte(char32_t character);

// Appends the alphabet's spelling of `bytes` to `out`.
void append_byte_characters(std::string_view bytes, std::string& out);

// Appends the bytes that a token's text spells. A text with a character outside the alphabet spells
// nothing and is appended as it is, as the format's decoders do.
void append_spelled_bytes(std::string_view token, std::string& out);

}  // namespace invar

// UTF-8: decoding one character at a time, encoding, validation, and the replacement of broken
// bytes by U+FFFD. A broken run is cut into maximal subparts (Unicode 3.9, "substitution of maximal
// subparts"), so one U+FFFD stands for the longest prefix of a character that was begun and not
// finished, or for one byte that cannot begin a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace invar {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

enum class Utf8Status {
  kValid,       // `size` bytes are one character
  kBroken,      // `size` bytes can never become a character
  kIncomplete,  // the text ends inside a character: `size` bytes are a legal beginning of one
};

// What stands at the front of a text. `code` is meaningful for kValid only.
struct Utf8Step {
  Utf8Status status;
  char32_t code;
  size_t size;  // bytes, at least 1
};

// Looks at the front of `text`, which must not be empty.
Utf8Step utf8_step(std::string_view text);

// The number of leading bytes of `text` that are valid UTF-8: text.size() if it all is.
size_t utf8_valid_prefix(std::string_view text);

inline bool utf8_is_valid(std::string_view text) {
  return utf8_valid_prefix(text) == text.size();
}

// Appends the UTF-8 form of `code` (a Unicode scalar value) to `out`.
void append_utf8(char32_t code, std::string& out);

// Appends `text` to `out`, each maximal broken subpart replaced by U+FFFD.
void append_lossy(std::string_view text, std::string& out);

// As append_lossy, but leaves an incomplete character at the end of `text` alone and returns the
// number of bytes taken, so that the rest can wait for more text.
size_t append_lossy_prefix(std::string_view text, std::string& out);

// Walks the characters of a valid text: for (size_t at = 0; at < text.size();) next_code(text, at).
// A broken byte, which a caller should have replaced before, reads as U+FFFD.
char32_t next_code(std::string_view text, size_t& at);

}  // namespace invar

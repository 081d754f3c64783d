// The decoding tables of UTF-8 as comparisons: the second byte's range depends on the first.
#include "text/utf8.h"

#include <cstring>

namespace invar {
namespace {

// How a lead byte continues: total bytes, and the range of the second byte. size 0: no lead byte.
struct Lead {
  uint8_t size;
  uint8_t second_min;
  uint8_t second_max;
};

Lead lead_of(uint8_t byte) {
  if (byte < 0xC2) {
    return {0, 0, 0};
  }
  if (byte < 0xE0) {
    return {2, 0x80, 0xBF};
  }
  if (byte < 0xF0) {
    // E0 would be overlong below A0; ED would reach the surrogates above 9F.
    const uint8_t low = byte == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = byte == 0xED ? 0x9F : 0xBF;
    return {3, low, high};
  }
  if (byte < 0xF5) {
    const uint8_t low = byte == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = byte == 0xF4 ? 0x8F : 0xBF;
    return {4, low, high};
  }
  return {0, 0, 0};
}

}  // namespace

Utf8Step utf8_step(std::string_view text) {
  const uint8_t first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) {
    return {Utf8Status::kValid, first, 1};
  }
  const Lead lead = lead_of(first);
  if (lead.size == 0) {
    return {Utf8Status::kBroken, 0, 1};
  }
  char32_t code = first & (0x7Fu >> lead.size);
  for (size_t i = 1; i < lead.size; ++i) {
    if (i == text.size()) {
      return {Utf8Status::kIncomplete, 0, i};
    }
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    const uint8_t low = i == 1 ? lead.second_min : 0x80;
    const uint8_t high = i == 1 ? lead.second_max : 0xBF;
    if (byte < low || byte > high) {
      return {Utf8Status::kBroken, 0, i};
    }
    code = (code << 6) | (byte & 0x3Fu);
  }
  return {Utf8Status::kValid, code, lead.size};
}

size_t utf8_valid_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time, since most text is.
    if (at + 8 <= text.size()) {
      uint64_t word;
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080u) == 0) {
        at += 8;
        continue;
      }
    }
    const Utf8Step step = utf8_step(text.substr(at));
    if (step.status != Utf8Status::kValid) {
      return at;
    }
    at += step.size;
  }
  return at;
}

void append_utf8(char32_t code, std::string& out) {
  const auto byte = [&out](uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

size_t append_lossy_prefix(std::string_view text, std::string& out) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t valid = utf8_valid_prefix(text.substr(at));
    out.append(text, at, valid);
    at += valid;
    if (at == text.size()) {
      break;
    }
    const Utf8Step step = utf8_step(text.substr(at));
    if (step.status == Utf8Status::kIncomplete) {
      break;
    }
    out += kReplacementUtf8;
    at += step.size;
  }
  return at;
}

void append_lossy(std::string_view text, std::string& out) {
  if (append_lossy_prefix(text, out) != text.size()) {
    out += kReplacementUtf8;  // what is left is one incomplete character
  }
}

char32_t next_code(std::string_view text, size_t& at) {
  const Utf8Step step = utf8_step(text.substr(at));
  at += step.size;
  return step.status == Utf8Status::kValid ? step.code : kReplacementCharacter;
}

}  // namespace invar

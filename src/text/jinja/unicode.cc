// Code points and their properties (unicode.h), from utf8proc's tables.
#include "text/jinja/unicode.h"

#include <utf8proc.h>

#include <array>

namespace invar::jinja {
namespace {

// Superscripts, subscripts, and digits in circles, brackets and the like; Ethiopic and other digits
// of systems without a zero.
constexpr auto kOtherDigits = std::to_array<CodePointRange>(
    {{0xb2, 0xb3},       {0xb9, 0xb9},       {0x1369, 0x1371},   {0x19da, 0x19da},
     {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
     {0x2474, 0x247c},   {0x2488, 0x2490},   {0x24ea, 0x24ea},   {0x24f5, 0x24fd},
     {0x24ff, 0x24ff},   {0x2776, 0x277e},   {0x2780, 0x2788},   {0x278a, 0x2792},
     {0x10a40, 0x10a43}, {0x10e60, 0x10e68}, {0x11052, 0x1105a}, {0x1f100, 0x1f10a}});

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t position = 0; position < text.size();) {
    if (bytes[position] < 0x80) {
      ++position;
      continue;
    }
    utf8proc_int32_t code_point = 0;
    const auto size = utf8proc_iterate(
        bytes + position, static_cast<utf8proc_ssize_t>(text.size() - position), &code_point);
    if (size <= 0) {
      return false;
    }
    position += static_cast<size_t>(size);
  }
  return true;
}

char32_t next_code_point(std::string_view text, size_t& position) {
  const auto byte = [&](size_t offset) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[position + offset]));
  };
  const char32_t lead = byte(0);
  char32_t code_point = lead;
  size_t size = 1;
  if (lead >= 0xf0) {
    code_point = (lead & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63);
    size = 4;
  } else if (lead >= 0xe0) {
    code_point = (lead & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
    size = 3;
  } else if (lead >= 0xc0) {
    code_point = (lead & 31) << 6 | (byte(1) & 63);
    size = 2;
  }
  position += size;
  return code_point;
}

char32_t previous_code_point(std::string_view text, size_t& position) {
  do {
    --position;
  } while ((static_cast<unsigned char>(text[position]) & 0xc0) == 0x80);
  size_t end = position;
  return next_code_point(text, end);
}

void append_code_point(std::string& text, char32_t code_point) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

size_t code_point_count(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) {
    count += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  }
  return count;
}

size_t code_point_offset(std::string_view text, int64_t index) {
  int64_t seen = 0;
  for (size_t position = 0; position < text.size(); ++position) {
    const bool begins = (static_cast<unsigned char>(text[position]) & 0xc0) != 0x80;
    if (begins && seen++ == index) {
      return position;
    }
  }
  return text.size();
}

bool in_ranges(std::span<const CodePointRange> ranges, char32_t code_point) {
  for (const CodePointRange& range : ranges) {
    if (code_point <= range.last) {
      return code_point >= range.first;
    }
  }
  return false;
}

bool is_space(char32_t code_point) {
  if (code_point < 0x80) {
    return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0d) ||
           (code_point >= 0x1c && code_point <= 0x1f);
  }
  if (code_point == 0x85) {
    return true;
  }
  const auto category = category_of(code_point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool is_alphabetic(char32_t code_point) {
  const auto category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_ND;
}

std::optional<int> decimal_value(char32_t code_point) {
  if (!is_decimal(code_point)) {
    return std::nullopt;
  }
  // Ten digits, from zero up, stand in a row; rows may follow each other.
  char32_t first = code_point;
  while (is_decimal(first - 1)) {
    --first;
  }
  return static_cast<int>((code_point - first) % 10);
}

bool is_digit(char32_t code_point) {
  return is_decimal(code_point) || in_ranges(kOtherDigits, code_point);
}

bool is_numeric(char32_t code_point) {
  const auto category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool is_printable(char32_t code_point) {
  if (code_point == ' ') {
    return true;
  }
  switch (category_of(code_point)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

bool is_identifier_start(char32_t code_point) {
  return code_point == '_' || is_alphabetic(code_point) ||
         category_of(code_point) == UTF8PROC_CATEGORY_NL;
}

bool is_identifier_part(char32_t code_point) {
  const auto category = category_of(code_point);
  return is_identifier_start(code_point) || category == UTF8PROC_CATEGORY_ND ||
         category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_PC;
}

std::string_view strip_left(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    size_t next = position;
    if (!is_space(next_code_point(text, next))) {
      break;
    }
    position = next;
  }
  return text.substr(position);
}

std::string_view strip_right(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t position = end;
    if (!is_space(previous_code_point(text, position))) {
      break;
    }
    end = position;
  }
  return text.substr(0, end);
}

}  // namespace invar::jinja

// Code points and their properties (unicode.h), from utf8proc's tables.
#include "text/jinja/unicode.h"

#include <utf8proc.h>

namespace invar::jinja {
namespace {

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

// The one common letter whose capital is two letters.
constexpr char32_t kSharpS = 0xdf;
constexpr char32_t kCapitalSigma = 0x3a3;
constexpr char32_t kSmallSigma = 0x3c3;
constexpr char32_t kFinalSigma = 0x3c2;

void append_upper(std::string& out, char32_t code_point) {
  if (code_point == kSharpS) {
    out += "SS";
    return;
  }
  append_code_point(
      out, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code_point))));
}

void append_title(std::string& out, char32_t code_point) {
  if (code_point == kSharpS) {
    out += "Ss";
    return;
  }
  append_code_point(
      out, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(code_point))));
}

// A capital sigma at the end of a word has a small form of its own.
void append_lower(std::string& out, std::string_view text, size_t begin, size_t end) {
  size_t position = begin;
  const char32_t code_point = next_code_point(text, position);
  if (code_point == kCapitalSigma) {
    size_t before = begin;
    size_t after = end;
    const bool follows = before > 0 && is_cased(previous_code_point(text, before));
    const bool precedes = after < text.size() && is_cased(next_code_point(text, after));
    append_code_point(out, follows && !precedes ? kFinalSigma : kSmallSigma);
    return;
  }
  append_code_point(
      out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))));
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

bool is_digit(char32_t code_point) {
  // Superscripts, subscripts and circled digits of the blocks Latin-1 and 2070 to 2089 are digits,
  // though not decimal ones.
  return is_decimal(code_point) || code_point == 0xb2 || code_point == 0xb3 || code_point == 0xb9 ||
         code_point == 0x2070 || (code_point >= 0x2074 && code_point <= 0x2079) ||
         (code_point >= 0x2080 && code_point <= 0x2089);
}

bool is_numeric(char32_t code_point) {
  const auto category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool is_upper(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_LU;
}
bool is_lower(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_LL;
}
bool is_titlecase(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_LT;
}

bool is_cased(char32_t code_point) {
  const auto category = category_of(code_point);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LT;
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

std::string to_upper(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    append_upper(result, next_code_point(text, position));
  }
  return result;
}

std::string to_lower(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    next_code_point(text, position);
    append_lower(result, text, begin, position);
  }
  return result;
}

std::string to_title(std::string_view text) {
  std::string result;
  bool inside_word = false;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (inside_word) {
      append_lower(result, text, begin, position);
    } else {
      append_title(result, code_point);
    }
    inside_word = is_cased(code_point);
  }
  return result;
}

std::string to_capitalized(std::string_view text) {
  std::string result;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (begin == 0) {
      append_title(result, code_point);
    } else {
      append_lower(result, text, begin, position);
    }
  }
  return result;
}

std::string to_swapped_case(std::string_view text) {
  std::string result;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (is_upper(code_point)) {
      append_lower(result, text, begin, position);
    } else if (is_lower(code_point)) {
      append_upper(result, code_point);
    } else {
      append_code_point(result, code_point);
    }
  }
  return result;
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

// Code points of valid UTF-8, and the properties of them that Python's string methods look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace invar::jinja {

bool is_valid_utf8(std::string_view text);

// Reads the code point at `position` (below the size) and moves past it. `text` is valid UTF-8.
char32_t next_code_point(std::string_view text, size_t& position);
// Moves back over the code point that ends at `position` (above 0) and reads it.
char32_t previous_code_point(std::string_view text, size_t& position);
void append_code_point(std::string& text, char32_t code_point);

size_t code_point_count(std::string_view text);
// The byte at which code point `index` begins; the size if there are no more than `index`.
size_t code_point_offset(std::string_view text, int64_t index);

struct CodePointRange {
  char32_t first;
  char32_t last;
};
// `ranges` ascend.
bool in_ranges(std::span<const CodePointRange> ranges, char32_t code_point);

bool is_space(char32_t code_point);
bool is_alphabetic(char32_t code_point);
bool is_decimal(char32_t code_point);
// 0 to 9; empty if not is_decimal().
std::optional<int> decimal_value(char32_t code_point);
bool is_digit(char32_t code_point);  // str.isdigit()
// str.isnumeric(), but for the ideographs that are numbers.
bool is_numeric(char32_t code_point);
// repr() writes the others as escapes.
bool is_printable(char32_t code_point);
bool is_identifier_start(char32_t code_point);
bool is_identifier_part(char32_t code_point);

std::string_view strip_left(std::string_view text);
std::string_view strip_right(std::string_view text);

}  // namespace invar::jinja

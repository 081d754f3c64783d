// Code points of valid UTF-8, and the properties of them that Python's string methods look at.
#pragma once

#include <cstddef>
#include <cstdint>
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

bool is_space(char32_t code_point);
bool is_alphabetic(char32_t code_point);
bool is_decimal(char32_t code_point);
bool is_digit(char32_t code_point);    // str.isdigit()
bool is_numeric(char32_t code_point);  // str.isnumeric()
bool is_upper(char32_t code_point);
bool is_lower(char32_t code_point);
bool is_titlecase(char32_t code_point);
bool is_cased(char32_t code_point);
// repr() writes the others as escapes.
bool is_printable(char32_t code_point);
bool is_identifier_start(char32_t code_point);
bool is_identifier_part(char32_t code_point);

std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
// First letter of each run of cased letters in title case, the rest in lower case.
std::string to_title(std::string_view text);
// First code point in title case, the rest in lower case.
std::string to_capitalized(std::string_view text);
std::string to_swapped_case(std::string_view text);

std::string_view strip_left(std::string_view text);
std::string_view strip_right(std::string_view text);

}  // namespace invar::jinja

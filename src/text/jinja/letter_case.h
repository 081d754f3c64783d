// Upper, lower and title case as Python's string methods know them: in full, so that one character
// may become several. Texts are valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace invar::jinja {

bool is_upper(char32_t code_point);
bool is_lower(char32_t code_point);
bool is_titlecase(char32_t code_point);
// One of these three.
bool is_cased(char32_t code_point);

std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
// First letter of each run of cased letters in title case, the rest in lower case.
std::string to_title(std::string_view text);
// First code point in title case, the rest in lower case.
std::string to_capitalized(std::string_view text);
std::string to_swapped_case(std::string_view text);
// For comparisons without regard to case.
std::string to_folded(std::string_view text);

}  // namespace invar::jinja

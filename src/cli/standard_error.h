// What goes to standard error beside an answer. Never throws: where standard error is closed or
// full, nothing better can be done than to go on.
#pragma once

#include <exception>
#include <string_view>

namespace invar {

// As it is.
void print_standard_error(std::string_view text);

// "invar: " and the message as one line; control characters, which names of files can hold, appear
// escaped, so that they reach neither a terminal nor a script.
void print_error_line(std::string_view message);

// The line of whatever was thrown: an Error's own message; else what it means for the program.
void print_exception(const std::exception& error);

}  // namespace invar

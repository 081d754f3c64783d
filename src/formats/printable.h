// Names that come from untrusted files, made safe to show in an error message or a log line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace invar {

// At most `bytes_max` bytes of `text`; every byte outside printable ASCII appears as \xNN, so that
// a file cannot send control sequences to a terminal. A longer text ends in "...".
std::string printable(std::string_view text, size_t bytes_max = 120);

}  // namespace invar

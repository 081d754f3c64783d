// Names that come from untrusted files, made safe to show in an error message or a log line.
#pragma once

#include <string>
#include <string_view>

namespace invar {

// At most 120 bytes of `text`; every byte outside printable ASCII appears as \xNN, so that a file
// cannot send control sequences to a terminal. A longer text ends in "...".
std::string printable(std::string_view text);

}  // namespace invar

// Names that come from untrusted files, made safe to show in an error message or a log line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace invar {

// At most `bytes_max` bytes of `text`; every byte outside printable ASCII appears as \xNN, so that
// a file cannot send control sequences to a terminal. A longer text ends in "...".
std::string printable(std::string_view text, size_t bytes_max = 120);

// The first few of `items` joined by `separator`, then how many there are beyond: a message stays a
// line whatever a file holds.
std::string first_few(std::span<const std::string> items, std::string_view separator = "; ");

}  // namespace invar

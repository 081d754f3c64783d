// A calendar date and time of day without a zone, and its text by strftime's directives. Nothing
// below the command line and the server reads a clock: the caller says what time it is.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace invar {

struct CivilTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31
  int hour = 0;
  int minute = 0;
  int second = 0;
};

// The local time of `seconds` since 1970, by the machine's zone.
CivilTime local_civil_time(std::time_t seconds);

// "2026-03-04T05:06:07"; also with a space for the T, or the date alone. Error kBadArgument.
CivilTime parse_civil_time(std::string_view text);

// English names, as in the C locale. An unknown directive stays as it is written.
std::string format_civil_time(const CivilTime& time, std::string_view format);

}  // namespace invar

// Calendar dates and their text (civil_time.h).
#include "text/civil_time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/error.h"

namespace invar {
namespace {

constexpr std::array<std::string_view, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

int day_of_year(const CivilTime& time) {  // from 1
  int days = time.day;
  for (int month = 1; month < time.month; ++month) {
    days += days_in_month(time.year, month);
  }
  return days;
}

int weekday(const CivilTime& time) {  // 0 is Sunday
  const int64_t before = static_cast<int64_t>(time.year) - 1;
  const int64_t days = before * 365 + before / 4 - before / 100 + before / 400 + day_of_year(time);
  return static_cast<int>(days % 7);
}

int hour_of_twelve(int hour) {
  return hour % 12 == 0 ? 12 : hour % 12;
}

struct IsoWeek {
  int year = 0;
  int week = 0;
};

// Weeks begin on Monday; the first of a year holds its first Thursday.
IsoWeek iso_week(const CivilTime& time) {
  const int monday_based = (weekday(time) + 6) % 7;
  const int week = (day_of_year(time) - 1 - monday_based + 10) / 7;
  if (week < 1) {
    return iso_week({.year = time.year - 1, .month = 12, .day = 31});
  }
  if (week == 53) {
    const CivilTime january{.year = time.year + 1, .month = 1, .day = 1};
    const int first_weekday = (weekday(january) + 6) % 7;
    if (first_weekday <= 3) {
      return {time.year + 1, 1};
    }
  }
  return {time.year, week};
}

std::string_view short_name(std::string_view name) {
  return name.substr(0, 3);
}

// Numbers: value, width and pad. Empty if the directive is no number.
struct NumberField {
  int value = 0;
  int width = 0;
  char pad = '0';
};

bool number_field(const CivilTime& time, char directive, NumberField& field) {
  const int days = day_of_year(time);
  switch (directive) {
    case 'd':
      return field = {time.day, 2, '0'}, true;
    case 'e':
      return field = {time.day, 2, ' '}, true;
    case 'H':
      return field = {time.hour, 2, '0'}, true;
    case 'k':
      return field = {time.hour, 2, ' '}, true;
    case 'I':
      return field = {hour_of_twelve(time.hour), 2, '0'}, true;
    case 'l':
      return field = {hour_of_twelve(time.hour), 2, ' '}, true;
    case 'j':
      return field = {days, 3, '0'}, true;
    case 'm':
      return field = {time.month, 2, '0'}, true;
    case 'M':
      return field = {time.minute, 2, '0'}, true;
    case 'S':
      return field = {time.second, 2, '0'}, true;
    case 'f':  // microseconds, which a CivilTime has none of
      return field = {0, 6, '0'}, true;
    case 'u':
      return field = {weekday(time) == 0 ? 7 : weekday(time), 1, '0'}, true;
    case 'w':
      return field = {weekday(time), 1, '0'}, true;
    case 'U':
      return field = {(days + 6 - weekday(time)) / 7, 2, '0'}, true;
    case 'W':
      return field = {(days + 6 - (weekday(time) + 6) % 7) / 7, 2, '0'}, true;
    case 'V':
      return field = {iso_week(time).week, 2, '0'}, true;
    case 'G':
      return field = {iso_week(time).year, 4, '0'}, true;
    case 'C':
      return field = {time.year / 100, 2, '0'}, true;
    case 'y':
      return field = {time.year % 100, 2, '0'}, true;
    case 'Y':
      return field = {time.year, 1, '0'}, true;
    default:
      return false;
  }
}

// Directives that stand for others. Empty if there is none of that letter.
std::string_view composed(char directive) {
  switch (directive) {
    case 'c':
      return "%a %b %e %H:%M:%S %Y";
    case 'D':
    case 'x':
      return "%m/%d/%y";
    case 'F':
      return "%Y-%m-%d";
    case 'R':
      return "%H:%M";
    case 'r':
      return "%I:%M:%S %p";
    case 'T':
    case 'X':
      return "%H:%M:%S";
    default:
      return "";
  }
}

bool append_name(std::string& out, const CivilTime& time, char directive) {
  const std::string_view day = kWeekdays[static_cast<size_t>(weekday(time))];
  const std::string_view month = kMonths[static_cast<size_t>(time.month - 1)];
  switch (directive) {
    case 'a':
      out += short_name(day);
      return true;
    case 'A':
      out += day;
      return true;
    case 'b':
    case 'h':
      out += short_name(month);
      return true;
    case 'B':
      out += month;
      return true;
    case 'p':
      out += time.hour < 12 ? "AM" : "PM";
      return true;
    case 'P':
      out += time.hour < 12 ? "am" : "pm";
      return true;
    case 'n':
      out += '\n';
      return true;
    case 't':
      out += '\t';
      return true;
    case '%':
      out += '%';
      return true;
    case 'Z':  // a CivilTime has no zone, as Python's naive times have none
    case 'z':
      return true;
    default:
      return false;
  }
}

void append_number(std::string& out, NumberField field, char flag) {
  const std::string digits = std::to_string(field.value);
  const char pad = flag == '_' ? ' ' : flag == '0' ? '0' : field.pad;
  if (flag != '-' && static_cast<int>(digits.size()) < field.width) {
    out.append(static_cast<size_t>(field.width) - digits.size(), pad);
  }
  out += digits;
}

// Digits at `position`; fails if there are not `count`.
int read_digits(std::string_view text, size_t position, size_t count) {
  int value = 0;
  const char* begin = text.data() + position;
  if (position + count > text.size() ||
      std::from_chars(begin, begin + count, value).ptr != begin + count || value < 0) {
    fail(Code::kBadArgument, "time '{}': expected the form 2026-03-04T05:06:07", text);
  }
  return value;
}

}  // namespace

CivilTime local_civil_time(std::time_t seconds) {
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) {
    fail(Code::kBadArgument, "time {}: beyond the calendar", static_cast<int64_t>(seconds));
  }
  return {.year = local.tm_year + 1900,
          .month = local.tm_mon + 1,
          .day = local.tm_mday,
          .hour = local.tm_hour,
          .minute = local.tm_min,
          .second = local.tm_sec};
}

CivilTime parse_civil_time(std::string_view text) {
  CivilTime time;
  time.year = read_digits(text, 0, 4);
  time.month = read_digits(text, 5, 2);
  time.day = read_digits(text, 8, 2);
  bool ok = text[4] == '-' && text[7] == '-' && time.year >= 1 && time.month >= 1 &&
            time.month <= 12 && time.day >= 1 && time.day <= days_in_month(time.year, time.month);
  if (ok && text.size() > 10) {
    time.hour = read_digits(text, 11, 2);
    time.minute = read_digits(text, 14, 2);
    time.second = read_digits(text, 17, 2);
    ok = (text[10] == 'T' || text[10] == ' ') && text[13] == ':' && text[16] == ':' &&
         text.size() == 19 && time.hour < 24 && time.minute < 60 && time.second < 61;
  }
  if (!ok) {
    fail(Code::kBadArgument, "time '{}': expected the form 2026-03-04T05:06:07", text);
  }
  return time;
}

std::string format_civil_time(const CivilTime& time, std::string_view format) {
  std::string result;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      result += format[i];
      continue;
    }
    const bool has_flag = i + 2 < format.size() &&
                          (format[i + 1] == '-' || format[i + 1] == '_' || format[i + 1] == '0');
    const char flag = has_flag ? format[i + 1] : '\0';
    const char directive = format[i + 1 + has_flag];
    NumberField field;
    if (number_field(time, directive, field)) {
      append_number(result, field, flag);
    } else if (!composed(directive).empty()) {
      result += format_civil_time(time, composed(directive));
    } else if (!append_name(result, time, directive)) {
      result += format.substr(i, 2 + has_flag);
    }
    i += 1 + has_flag;
  }
  return result;
}

}  // namespace invar

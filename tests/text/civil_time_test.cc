// Dates and their text.
#include "text/civil_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"

namespace invar {
namespace {

CivilTime at(int year, int month, int day) {
  return {.year = year, .month = month, .day = day};
}

TEST(CivilTime, WritesNumbers) {
  const CivilTime time{.year = 2026, .month = 3, .day = 4, .hour = 15, .minute = 6, .second = 7};
  EXPECT_EQ(format_civil_time(time, "%Y-%m-%d %H:%M:%S"), "2026-03-04 15:06:07");
  EXPECT_EQ(format_civil_time(time, "%y %j %I %l|%k|%e|%C %f"), "26 063 03  3|15| 4|20 000000");
  EXPECT_EQ(format_civil_time(time, "%-d %-m %_d %-I"), "4 3  4 3");
  EXPECT_EQ(format_civil_time(time, "%F %T %R %D %r"),
            "2026-03-04 15:06:07 15:06 03/04/26 03:06:07 PM");
  EXPECT_EQ(format_civil_time(time, "%c|%x|%X"), "Wed Mar  4 15:06:07 2026|03/04/26|15:06:07");
}

TEST(CivilTime, WritesNames) {
  EXPECT_EQ(format_civil_time(at(2026, 3, 4), "%a %A %b %B %h %p %P"),
            "Wed Wednesday Mar March Mar AM am");
  EXPECT_EQ(format_civil_time(at(2024, 2, 29), "%A, %d %B %Y"), "Thursday, 29 February 2024");
  EXPECT_EQ(format_civil_time(at(1970, 1, 1), "%A %w %u"), "Thursday 4 4");
  EXPECT_EQ(format_civil_time(at(2000, 1, 2), "%A %w %u"), "Sunday 0 7");
}

TEST(CivilTime, CountsWeeks) {
  EXPECT_EQ(format_civil_time(at(2026, 1, 1), "%U %W %G-%V"), "00 00 2026-01");
  EXPECT_EQ(format_civil_time(at(2027, 1, 1), "%U %W %G-%V"), "00 00 2026-53");
  EXPECT_EQ(format_civil_time(at(2024, 12, 30), "%U %W %G-%V"), "52 53 2025-01");
  EXPECT_EQ(format_civil_time(at(2023, 1, 1), "%U %W %G-%V"), "01 00 2022-52");
  EXPECT_EQ(format_civil_time(at(2020, 12, 31), "%j %G-%V"), "366 2020-53");
}

TEST(CivilTime, KeepsWhatIsNoDirective) {
  EXPECT_EQ(format_civil_time(at(2026, 3, 4), "100%% %Q %-Q %"), "100% %Q %-Q %");
  EXPECT_EQ(format_civil_time(at(2026, 3, 4), "a%nb%tc[%Z%z]"), "a\nb\tc[]");
  EXPECT_EQ(format_civil_time(at(2026, 3, 4), "é%d"), "é04");
  EXPECT_EQ(format_civil_time(at(2026, 3, 4), "%-"), "%-");
}

TEST(CivilTime, ReadsTheFormOfTheCases) {
  const CivilTime time = parse_civil_time("2026-03-04T05:06:07");
  EXPECT_EQ(format_civil_time(time, "%F %T"), "2026-03-04 05:06:07");
  EXPECT_EQ(format_civil_time(parse_civil_time("2024-02-29"), "%F %T"), "2024-02-29 00:00:00");
  EXPECT_EQ(format_civil_time(parse_civil_time("2024-02-29 23:59:60"), "%T"), "23:59:60");
  for (const std::string_view bad :
       {"", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2026-01-32", "0000-01-01",
        "2026/01/01", "2026-01-01T", "2026-01-01T24:00:00", "2026-01-01T00:60:00",
        "2026-01-01T00:00:61", "2026-01-01X00:00:00", "2026-01-01T00:00:00Z", "20x6-01-01",
        "2026-01-01T00-00:00", "2026--1-01"}) {
    EXPECT_THROW((void)parse_civil_time(bad), Error) << bad;
  }
}

TEST(CivilTime, TellsTheLocalTime) {
  const CivilTime time = local_civil_time(1'700'000'000);
  EXPECT_EQ(time.year, 2023);
  EXPECT_EQ(time.month, 11);
  EXPECT_THROW((void)local_civil_time(std::numeric_limits<std::time_t>::max()), Error);
}

}  // namespace
}  // namespace invar

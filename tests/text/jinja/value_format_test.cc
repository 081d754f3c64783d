// Format specifications of single values.
#include "text/jinja/value_format.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(ValueFormat, FollowsSpecifications) {
  expect_texts({
      {"{{ '{a}-{b.c}'.format(a=1, b={'c': 2}) }}", "1-2"},
      {"{{ '{:>5}|{:<5}|{:^5}|{:*^5}'.format('a','b','c','d') }}", "    a|b    |  c  |**d**"},
      {"{{ '{:05d} {:+d} {:x} {:#x} {:b} {:,}'.format(42, 42, 255, 255, 5, 1234567) }}",
       "00042 +42 ff 0xff 101 1,234,567"},
      {"{{ '{:.2f} {:8.3f} {:e} {:g} {:%} {:.1%}'.format(3.14159, 2.5, 12345.678, "
       "0.0001, 0.25, 0.256) }}",
       "3.14    2.500 1.234568e+04 0.0001 25.000000% 25.6%"},
      {"{{ '{:{}}|'.format('a', 4) }}", "a   |"},
      {"{{ '{:{w}.{p}f}'.format(3.14159, w=8, p=2) }}", "    3.14"},
      {"{{ '{:.2}'.format('abcdef') }}", "ab"},
      {"{{ '{:5}|{:5}|'.format(1, 'a') }}", "    1|a    |"},
      {"{{ '{:_}'.format(1234567) }}", "1_234_567"},
      {"{{ '{:,.2f}'.format(1234567.891) }}", "1,234,567.89"},
      {"{{ '{:d}'.format(true) }}", "1"},
      {"{{ '{:>+6d}'.format(5) }}", "    +5"},
      {"{{ '{:=+6d}'.format(5) }}", "+    5"},
      {"{{ '{: d}'.format(5) }}", " 5"},
      {"{{ '{:G}'.format(1e20) }}", "1E+20"},
      {"{{ '{:X}'.format(255) }}", "FF"},
      {"{{ '{:o}'.format(8) }}", "10"},
      {"{{ '{:010.2f}'.format(-3.14159) }}", "-000003.14"},
      {"{{ '{a}'.format_map({'a': 1}) }}", "1"},
      {"{{ '{:>5}|{:5}|{:s}|{:d}'.format(true, false, 'x', true) }}", "    1|    0|x|1"},
  });
}

TEST(ValueFormat, RefusesBadSpecifications) {
  expect_messages({
      {"{{ '{:d}'.format('a') }}", "t:1: unknown format code 'd' for an object of type 'str'"},
      {"{{ '{:q}'.format(1) }}", "t:1: unknown format code 'q' for an object of type 'int'"},
      {"{{ '{:5.2.2f}'.format(1) }}", "t:1: invalid format specifier '5.2.2f'"},
      {"{{ '{:s}'.format(1) }}", "t:1: unknown format code 's' for an object of type 'int'"},
      {"{{ '{:{:{}}}'.format(1,2,3) }}", "t:1: Max string recursion exceeded"},
      {"{{ '{:>5}'.format(none) }}",
       "t:1: unsupported format string passed to NoneType.__format__"},
      {"{{ '{:s}'.format(true) }}", "t:1: unknown format code 's' for an object of type 'bool'"},
      {"{{ '{:>5}'.format([]) }}", "t:1: unsupported format string passed to list.__format__"},
  });
}

}  // namespace
}  // namespace invar::jinja

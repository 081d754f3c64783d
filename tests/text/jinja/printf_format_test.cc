// Formatting with %.
#include "text/jinja/printf_format.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(PrintfFormat, RefusesBadFormats) {
  expect_messages({
      {"{{ '%(a)s' % 5 }}", "t:1: format requires a mapping"},
      {"{{ '%(a)s' % {} }}", "t:1: the format's key 'a' is missing"},
      {"{{ '%' % 1 }}", "t:1: incomplete format"},
      {"{{ '%s%s' % 1 }}", "t:1: not enough arguments for format string"},
      {"{{ '%s' % (1, 2) }}", "t:1: not all arguments converted during string formatting"},
      {"{{ 'a' % 1 }}", "t:1: not all arguments converted during string formatting"},
      {"{{ 'a' % 'x' }}", "t:1: not all arguments converted during string formatting"},
      {"{{ 'a' % d.items() }}", "t:1: not all arguments converted during string formatting"},
      {"{{ '%c' % 'ab' }}", "t:1: %c requires int or char"},
      {"{{ '%x' % 1.5 }}", "t:1: %x format: an integer is required, not float"},
      {"{{ '%f' % 'a' }}", "t:1: must be real number, not str"},
      {"{{ '%(a' % {} }}", "t:1: incomplete format key"},
      {"{{ '%*d' % ('a', 1) }}", "t:1: * wants int"},
      {"{{ '%5%|' % () }}", "t:1: not enough arguments for format string"},
  });
}

TEST(PrintfFormat, Formats) {
  expect_texts({
      {"{{ 'a%sb' % 'x' }}", "axb"},
      {"{{ '%d %i' % (3, 4.7) }}", "3 4"},
      {"{{ '%5.1f|%-5d|%05d|%+d|% d' % (2.55, 3, 42, 5, 5) }}", "  2.5|3    |00042|+5| 5"},
      {"{{ '%x %X %o %#x' % (255, 255, 8, 255) }}", "ff FF 10 0xff"},
      {"{{ '%e %g %G' % (12345.678, 0.00001, 1e20) }}", "1.234568e+04 1e-05 1E+20"},
      {"{{ '%s %r' % ('a', 'a') }}", "a 'a'"},
      {"{{ '%%' % () }}", "%"},
      {"{{ '%(a)s %(b)d' % {'a': 1, 'b': 2} }}", "1 2"},
      {"{{ '%c%c' % ('x', 65) }}", "xA"},
      {"{{ '%.3s|' % 'abcdef' }}", "abc|"},
      {"{{ '%*d|' % (5, 42) }}", "   42|"},
      {"{{ '%-5s|%5s|' % ('a', 'b') }}", "a    |    b|"},
      {"{{ '%s' % none }}", "None"},
      {"{{ '%s' % [1,2] }}", "[1, 2]"},
      {"{{ '%s %s' % (1, true) }}", "1 True"},
      {"{{ '%.2f%%' % 12.345 }}", "12.35%"},
      {"{{ '%.3d' % 5 }}", "005"},
      {"{{ '%08.3f' % -3.14159 }}", "-003.142"},
      {"{{ '%s' % 1.0 }}", "1.0"},
      {"{{ '%d' % -3 }}", "-3"},
      {"{{ 'a' % [1] }}{{ 'b' % d }}{{ 'c' % x }}{{ 'd' % range(2) }}", "abcd"},
  });
}

}  // namespace
}  // namespace invar::jinja

// str.format() of the template language.
#include "text/jinja/text_format.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(TextFormat, FillsFields) {
  expect_texts({
      {"{{ '{} {}'.format('a', 1) }}", "a 1"},
      {"{{ '{1}{0}'.format('a', 'b') }}", "ba"},
      {"{{ '{0[0]}{0[1]}'.format(['x','y']) }}", "xy"},
      {"{{ '{{}}'.format() }}", "{}"},
      {"{{ '{!r} {!s}'.format('a', 'b') }}", "'a' b"},
      {"{{ '{}'.format(none) }}", "None"},
      {"{{ '{}'.format([1]) }}", "[1]"},
      {"{{ '{}'.format(true) }}", "True"},
      {"{{ s.format() }}", "Hello World"},
      {"{{ '{:{}}|{}'.format(1, 3, 4) }}", "  1|4"},
      {"{{ '{0}{a}'.format(1, a=2) }}{{ '{}{a}{}'.format(1, 2, a=3) }}", "12132"},
  });
}

TEST(TextFormat, RefusesBadFields) {
  expect_messages({
      {"{{ '{}'.format() }}", "t:1: Replacement index 0 out of range for positional args tuple"},
      {"{{ '{}{0}'.format(1) }}", "t:1: a format numbers all of its fields or none"},
      {"{{ '{0}{}'.format(1) }}", "t:1: a format numbers all of its fields or none"},
      {"{{ '{0:{}}'.format(1, 2) }}", "t:1: a format numbers all of its fields or none"},
      {"{{ '{a}'.format() }}", "t:1: the format's field 'a' has no argument"},
      {"{{ '{'.format() }}", "t:1: expected '}' before end of string"},
      {"{{ '}'.format() }}", "t:1: Single '}' encountered in format string"},
      {"{{ '{0'.format(1) }}", "t:1: expected '}' before end of string"},
      {"{{ '{!x}'.format(1) }}", "t:1: Unknown conversion specifier x"},
      {"{{ '{a.}'.format(a=1) }}", "t:1: Empty attribute in format string"},
      {"{{ '{a}'.format_map(5) }}", "t:1: format_map() takes a mapping, not int"},
      {"{{ '{!rx}'.format(1) }}", "t:1: expected ':' after conversion specifier"},
      {"{{ '{a[0}'.format(a=[1]) }}", "t:1: Empty attribute in format string"},
  });
}

}  // namespace
}  // namespace invar::jinja

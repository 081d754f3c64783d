// Numbers and quoted strings.
#include "text/jinja/literals.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Literals, ReadsNumbersAndStrings) {
  expect_texts({
      {"{{ 'a' 'b' \"c\" }}", "abc"},
      {"{{ 'a\\n\\t\\\\\\'\\\"\\x41\\u00e9\\101\\q' }}", "a\n\t\\'\"AéA\\q"},
      {"{{ '\\U0001F600' }}", "😀"},
      {"{{ 'a\\\nb' }}", "ab"},
      {"{{ 1_000 }} {{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1.5e3 }} {{ 1e2 }} {{ 1_0.5 }}",
       "1000 31 5 15 1500.0 100.0 10.5"},
  });
}

TEST(Literals, RefusesBadLiterals) {
  expect_messages({
      {"{{ 'abc }}", "t:1: a string has no end"},
      {"{{ '\\x4' }}", "t:1: an escape in a string has too few digits"},
      {"{{ '\\ud800' }}", "t:1: a lone surrogate in a string"},
  });
}

}  // namespace
}  // namespace invar::jinja

// Methods that ask about characters.
#include "text/jinja/methods.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(TextCheckMethods, ChecksCharacters) {
  expect_texts({
      {"{{ 'abc'.isalpha() }}", "True"},      {"{{ 'ab1'.isalnum() }}", "True"},
      {"{{ '12'.isdigit() }}", "True"},       {"{{ '²'.isdigit() }}", "True"},
      {"{{ '½'.isnumeric() }}", "True"},      {"{{ '12'.isdecimal() }}", "True"},
      {"{{ '²'.isdecimal() }}", "False"},     {"{{ ' '.isspace() }}", "True"},
      {"{{ ''.isspace() }}", "False"},        {"{{ 'abc'.islower() }}", "True"},
      {"{{ 'ABC'.isupper() }}", "True"},      {"{{ 'Abc Def'.istitle() }}", "True"},
      {"{{ 'a_1'.isidentifier() }}", "True"}, {"{{ '1a'.isidentifier() }}", "False"},
      {"{{ 'é'.isascii() }}", "False"},       {"{{ ''.isascii() }}", "True"},
      {"{{ 'a\n'.isprintable() }}", "False"}, {"{{ ''.isprintable() }}", "True"},
      {"{{ '漢'.isalpha() }}", "True"},       {"{{ 'A1'.isupper() }}", "True"},
      {"{{ 'Ab'.islower() }}", "False"},      {"{{ 'ABc D'.istitle() }}", "False"},
  });
}

}  // namespace
}  // namespace invar::jinja

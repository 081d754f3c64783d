// The error type and the check that ends the process.
#include "core/error.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(Error, CarriesCodeAndMessage) {
  try {
    fail(Code::kBadFile, "{}: expected {}, found {}", "x.gguf", 3, 4);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadFile);
    EXPECT_STREQ(error.what(), "x.gguf: expected 3, found 4");
    return;
  }
  FAIL() << "nothing was thrown";
}

TEST(Error, ANulDoesNotCutTheMessage) {
  const Error error(Code::kBadFile, std::string("a\0b\0: c", 7));
  EXPECT_STREQ(error.what(), "a\\x00b\\x00: c");
}

TEST(Error, CodesHaveNames) {
  EXPECT_EQ(code_name(Code::kBadFile), "bad file");
  EXPECT_EQ(code_name(Code::kBadArgument), "bad argument");
  EXPECT_EQ(code_name(Code::kUnsupported), "unsupported");
  EXPECT_EQ(code_name(Code::kExhausted), "exhausted");
  EXPECT_EQ(code_name(Code::kIo), "input/output");
}

TEST(CheckDeathTest, PrintsConditionPlaceAndValues) {
  const int two = 2;
  EXPECT_DEATH(INVAR_CHECK(two == 3, "two is {}", two),
               "two == 3 failed at .*error_test.cc:[0-9]+ in .*two is 2");
  INVAR_CHECK(two == 2);  // silent
}

}  // namespace
}  // namespace invar

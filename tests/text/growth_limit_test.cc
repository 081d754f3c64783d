// The bound at its edges. What it stops is in the tests of those who ask it.
#include "text/growth_limit.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

TEST(GrowthLimit, IsSixtyFourBytesAByteAndSomeMore) {
  const GrowthLimit limit("t.json", "normalizer", 10);
  EXPECT_NO_THROW(limit.check(66176));
  expect_error([&] { limit.check(66177); }, Code::kExhausted,
               "t.json: normalizer: expected at most 66176 bytes from a text of 10 bytes, found "
               "66177");
}

TEST(GrowthLimit, IsAGibibyteForLongTexts) {
  const GrowthLimit limit("t.json: decoder", "", size_t{1} << 40);
  EXPECT_NO_THROW(limit.check(size_t{1} << 30));
  expect_error([&] { limit.check((size_t{1} << 30) + 1); }, Code::kExhausted,
               "t.json: decoder: expected at most 1073741824 bytes from a text of 1099511627776 "
               "bytes, found 1073741825");
}

}  // namespace
}  // namespace invar

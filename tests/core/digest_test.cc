// digest64: a published XXH3 value, and sensitivity to every byte.
#include "core/digest.h"

#include <gtest/gtest.h>

#include <string>

namespace invar {
namespace {

TEST(Digest, EmptyInputHasThePublishedValue) {
  EXPECT_EQ(digest64("", 0), 0x2d06800538d394c2ULL);
}

TEST(Digest, EveryByteCounts) {
  std::string bytes(1000, 'a');
  const uint64_t before = digest64(bytes.data(), bytes.size());
  for (size_t i = 0; i < bytes.size(); i += 37) {
    bytes[i] = 'b';
    EXPECT_NE(digest64(bytes.data(), bytes.size()), before) << i;
    bytes[i] = 'a';
  }
}

}  // namespace
}  // namespace invar

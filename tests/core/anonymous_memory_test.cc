// AnonymousMemory: zero-filled, moved without copies, and an error where the system refuses.
#include "core/anonymous_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "core/error.h"

namespace invar {
namespace {

TEST(AnonymousMemory, IsZeroFilledAndWritable) {
  const AnonymousMemory memory(100000, "a test");
  const std::span<std::byte> bytes(memory.data(), memory.size_bytes());
  EXPECT_TRUE(
      std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
  bytes.back() = std::byte{7};
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 4096, 0U);
}

TEST(AnonymousMemory, MovesItsPages) {
  AnonymousMemory from(4096, "a test");
  std::byte* data = from.data();
  AnonymousMemory to(std::move(from));
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(from.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  AnonymousMemory assigned;
  assigned = std::move(to);
  EXPECT_EQ(assigned.data(), data);
}

TEST(AnonymousMemory, EmptyIsFine) {
  const AnonymousMemory memory(0, "nothing");
  EXPECT_EQ(memory.data(), nullptr);
}

TEST(AnonymousMemory, RefusalNamesPurposeAndBytes) {
  try {
    const AnonymousMemory memory(size_t{1} << 60, "the impossible");
    FAIL() << "the system gave 2^60 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kExhausted);
    EXPECT_THAT(error.what(),
                testing::StartsWith("memory for the impossible: 1152921504606846976 bytes"));
  }
}

}  // namespace
}  // namespace invar

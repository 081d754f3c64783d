// Which instruction set is chosen for which processor.
#include "backend/cpu/isa.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace invar {
namespace {

constexpr cpu::CpuFeatures kNone = {};
constexpr cpu::CpuFeatures kAvx2 = {.avx2 = true};
constexpr cpu::CpuFeatures kAvx512 = {.avx2 = true, .avx512 = true};

std::string message_of(Code code, std::string_view isa, const cpu::CpuFeatures& features) {
  try {
    kernels_for(isa, features);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

TEST(Isa, TakesTheBestIfNoneIsNamed) {
  EXPECT_STREQ(kernels_for("", kNone).isa, "portable");
  EXPECT_STREQ(kernels_for("", kAvx2).isa, "avx2");
  EXPECT_STREQ(kernels_for("", kAvx512).isa, "avx512");
}

TEST(Isa, TakesTheNamedOne) {
  EXPECT_STREQ(kernels_for("portable", kAvx512).isa, "portable");
  EXPECT_STREQ(kernels_for("avx2", kAvx512).isa, "avx2");
}

TEST(Isa, RefusesAnUnknownName) {
  EXPECT_EQ(message_of(Code::kBadArgument, "sse9", kAvx2),
            "instruction set: expected one of avx2, portable, found 'sse9'");
}

TEST(Isa, RefusesWhatTheProcessorLacks) {
  EXPECT_EQ(message_of(Code::kUnsupported, "avx512", kAvx2),
            "instruction set 'avx512': this processor has only avx2, portable");
}

}  // namespace
}  // namespace invar

// Backends by name.
#include "backend/registry.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(Registry, MakesEverySupportedIsa) {
  const auto isas = supported_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.back(), "portable");
  for (std::string_view isa : isas) {
    EXPECT_EQ(make_cpu_backend(isa)->name(), fmt::format("cpu/{}", isa));
  }
  EXPECT_EQ(make_cpu_backend("")->name(), fmt::format("cpu/{}", isas.front()));
}

TEST(Registry, MakesRef) {
  EXPECT_EQ(make_ref_backend()->name(), "ref");
}

}  // namespace
}  // namespace invar

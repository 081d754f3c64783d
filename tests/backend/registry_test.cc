// Backends by name.
#include "backend/registry.h"

#include <gtest/gtest.h>

#include "core/error.h"

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

// A backend that implements no op at all.
class EmptyBackend final : public Backend {
 public:
  std::string_view name() const override { return "empty"; }
};

TEST(Registry, AnOpThatABackendLacksIsRefusedByName) {
  try {
    EmptyBackend().run({}, RmsNorm{});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnsupported);
    EXPECT_STREQ(error.what(), "backend empty: op 'rms_norm' is not implemented");
  }
}

TEST(Registry, MakesRef) {
  EXPECT_EQ(make_ref_backend()->name(), "ref");
}

}  // namespace
}  // namespace invar

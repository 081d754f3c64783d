// The recorded results of the reference: the shared ones if they are there, and the form of the
// file.
#include "text/template_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"

namespace invar {
namespace {

TEST(TemplateCases, RendersAllSharedTemplatesAsTheReferenceDoes) {
  const std::filesystem::path shared = std::string(INVAR_SOURCE_DIR) + "/../shared/text";
  if (!std::filesystem::exists(shared / "templates.json")) {
    GTEST_SKIP() << "no " << shared;
  }
  std::vector<std::string> failures;
  const TemplateCaseCounts counts =
      check_template_cases(shared / "templates.json", shared / "templates",
                           [&](const std::string& line) { failures.push_back(line); });
  EXPECT_THAT(failures, testing::IsEmpty());
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GT(counts.passed, 0);
}

}  // namespace
}  // namespace invar

// Log lines go to standard error, and only from the level that was set.
#include "core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(Log, DropsWhatIsBelowTheLevel) {
  testing::internal::CaptureStderr();
  set_log_level(LogLevel::kWarn);
  log_info("quiet {}", 1);
  log_warn("loud {}", 2);
  set_log_level(LogLevel::kInfo);
  log_info("now {}", 3);
  set_log_level(LogLevel::kOff);
  log_message(LogLevel::kError, "never");
  set_log_level(LogLevel::kWarn);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::HasSubstr("loud 2"));
  EXPECT_THAT(text, testing::HasSubstr("now 3"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("quiet")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("never")));
}

}  // namespace
}  // namespace invar

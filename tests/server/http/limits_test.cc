// Connections within the limit of open files.
#include "server/http/limits.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(HttpLimits, ConnectionsLeaveRoomForOtherFiles) {
  EXPECT_EQ(connections_within(1024, 100), 100);
  EXPECT_EQ(connections_within(1024, 1024), 1024 - 48);
  EXPECT_EQ(connections_within(UINT64_MAX, 1 << 20), 1 << 20);
}

TEST(HttpLimits, OneConnectionIsAlwaysTried) {
  EXPECT_EQ(connections_within(0, 100), 1);
  EXPECT_EQ(connections_within(48, 100), 1);
  EXPECT_EQ(connections_within(49, 100), 1);
  EXPECT_EQ(connections_within(50, 100), 2);
  EXPECT_EQ(connections_within(1024, 0), 1);
}

TEST(HttpLimits, ThisProcessHasALimit) {
  EXPECT_GT(open_files_limit(), 2u);
}

}  // namespace
}  // namespace invar

// The merge table finds what was added and nothing else.
#include "text/merge_table.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(MergeTable, FindsEveryPair) {
  MergeTable table(1000);
  for (int32_t i = 0; i < 1000; ++i) {
    table.add({i, 999 - i, i, i + 1000});
  }
  EXPECT_EQ(table.size(), 1000u);
  for (int32_t i = 0; i < 1000; ++i) {
    table.prefetch(i, 999 - i);
    const Merge* merge = table.find(i, 999 - i);
    ASSERT_NE(merge, nullptr);
    EXPECT_EQ(merge->rank, i);
    EXPECT_EQ(merge->merged, i + 1000);
    EXPECT_EQ(table.find(999 - i, i + 1), nullptr);
  }
}

TEST(MergeTable, ALaterMergeOfAPairReplacesTheEarlier) {
  MergeTable table(2);
  table.add({1, 2, 0, 3});
  table.add({1, 2, 1, 4});
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.find(1, 2)->merged, 4);
}

TEST(MergeTable, AnEmptyTableFindsNothing) {
  EXPECT_EQ(MergeTable().find(0, 0), nullptr);
}

}  // namespace
}  // namespace invar

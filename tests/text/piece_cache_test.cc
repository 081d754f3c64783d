// The cache of pieces: hits, misses, collisions, and pieces that are too long.
#include "text/piece_cache.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(PieceCache, RemembersIdsWhereTheyAre) {
  PieceCache cache;
  std::vector<int32_t> ids = {1, 2, 3};
  EXPECT_FALSE(cache.append_known("ab", ids));
  cache.remember("ab", ids, 1);
  EXPECT_TRUE(cache.append_known("ab", ids));
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 2, 3, 2, 3}));
  EXPECT_FALSE(cache.append_known("abc", ids));
}

TEST(PieceCache, LeavesEmptyAndLongPiecesOut) {
  PieceCache cache;
  std::vector<int32_t> ids = {1};
  const std::string longest(PieceCache::kMaxPieceBytes, 'x');
  cache.remember("", ids, 0);
  EXPECT_FALSE(cache.append_known("", ids));
  cache.remember(longest + "x", ids, 0);
  EXPECT_FALSE(cache.append_known(longest + "x", ids));
  cache.remember(longest, ids, 0);
  EXPECT_TRUE(cache.append_known(longest, ids));
}

TEST(PieceCache, ACollisionReplacesAndNeverConfuses) {
  PieceCache cache;
  std::vector<int32_t> ids;
  // More pieces than entries: many must share one.
  for (int32_t i = 0; i < static_cast<int32_t>(PieceCache::kEntries) * 2; ++i) {
    ids.push_back(i);
    cache.remember("piece" + std::to_string(i), ids, static_cast<size_t>(i));
  }
  int hits = 0;
  for (int32_t i = 0; i < static_cast<int32_t>(PieceCache::kEntries) * 2; ++i) {
    std::vector<int32_t> found = ids;
    if (cache.append_known("piece" + std::to_string(i), found)) {
      ++hits;
      EXPECT_EQ(found.back(), i);
    }
  }
  EXPECT_GT(hits, 0);
  EXPECT_LE(hits, static_cast<int>(PieceCache::kEntries));
}

}  // namespace
}  // namespace invar

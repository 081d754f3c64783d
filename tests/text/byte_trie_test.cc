// The trie: walking, values, leftmost longest matches.
#include "text/byte_trie.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(ByteTrie, WalksItsKeys) {
  const ByteTrie trie({{"ab", 1}, {"abc", 2}, {"b", 3}, {"ab", 4}});
  const uint32_t a = trie.child(ByteTrie::kRoot, 'a');
  ASSERT_NE(a, ByteTrie::kNone);
  EXPECT_EQ(trie.value(a), -1);
  const uint32_t ab = trie.child(a, 'b');
  EXPECT_EQ(trie.value(ab), 4);  // the last of equal keys
  EXPECT_EQ(trie.value(trie.child(ab, 'c')), 2);
  EXPECT_EQ(trie.child(ab, 'd'), ByteTrie::kNone);
  EXPECT_EQ(trie.child(a, 'a'), ByteTrie::kNone);
  EXPECT_EQ(trie.child(ByteTrie::kRoot, 'c'), ByteTrie::kNone);
}

TEST(ByteTrie, ManyChildrenOfOneNode) {
  std::vector<std::string> keys;
  for (int byte = 0; byte < 256; ++byte) {
    keys.push_back(std::string("x") + static_cast<char>(byte));
  }
  std::vector<ByteTrie::Entry> entries;
  for (int32_t byte = 255; byte >= 0; --byte) {
    entries.push_back({keys[static_cast<size_t>(byte)], byte});
  }
  const ByteTrie trie(entries);
  const uint32_t x = trie.child(ByteTrie::kRoot, 'x');
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(trie.value(trie.child(x, static_cast<uint8_t>(byte))), byte);
  }
}

TEST(ByteTrie, FindsTheLeftmostThenTheLongest) {
  const ByteTrie trie({{"b", 0}, {"bcd", 1}, {"c", 2}});
  const auto found = trie.find("abcx", 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->begin, 1u);
  EXPECT_EQ(found->end, 2u);
  EXPECT_EQ(found->value, 0);
  EXPECT_EQ(trie.find("abcd", 0)->end, 4u);
  EXPECT_EQ(trie.find("abcd", 2)->value, 2);
  EXPECT_FALSE(trie.find("xyz", 0).has_value());
}

TEST(ByteTrie, AnEmptyTrieFindsNothing) {
  const ByteTrie trie;
  EXPECT_TRUE(trie.empty());
  EXPECT_FALSE(trie.find("abc", 0).has_value());
}

}  // namespace
}  // namespace invar

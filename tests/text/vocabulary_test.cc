// Tokens by id and ids by token, through growth, gaps and repetitions.
#include "text/vocabulary.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(Vocabulary, FindsBothWays) {
  Vocabulary vocabulary;
  EXPECT_FALSE(vocabulary.id_of("a").has_value());
  EXPECT_TRUE(vocabulary.add(0, "a"));
  EXPECT_TRUE(vocabulary.add(5, "bb"));
  EXPECT_EQ(vocabulary.id_of("bb"), 5);
  EXPECT_EQ(vocabulary.token(5), "bb");
  EXPECT_FALSE(vocabulary.token(3).has_value());
  EXPECT_FALSE(vocabulary.token(6).has_value());
  EXPECT_FALSE(vocabulary.token(-1).has_value());
  EXPECT_EQ(vocabulary.size(), 6);
  EXPECT_EQ(vocabulary.count(), 2);
}

TEST(Vocabulary, RefusesASecondPartner) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add(0, "a"));
  EXPECT_TRUE(vocabulary.add(0, "a"));
  EXPECT_FALSE(vocabulary.add(1, "a"));
  EXPECT_FALSE(vocabulary.add(0, "b"));
  EXPECT_EQ(vocabulary.count(), 1);
  EXPECT_FALSE(vocabulary.id_of("b").has_value());
}

TEST(Vocabulary, UnfindableTokensHaveATextOnly) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add(0, "a"));
  EXPECT_TRUE(vocabulary.is_text_of(0, "a"));
  vocabulary.add_unfindable(1, "a");
  EXPECT_EQ(vocabulary.token(1), "a");
  EXPECT_EQ(vocabulary.id_of("a"), 0);
  EXPECT_FALSE(vocabulary.is_text_of(1, "a"));
}

TEST(Vocabulary, HoldsManyTokens) {
  Vocabulary vocabulary;
  vocabulary.reserve(100, 400);  // too little on purpose
  for (int32_t id = 0; id < 5000; ++id) {
    ASSERT_TRUE(vocabulary.add(id, "token " + std::to_string(id * 7)));
  }
  for (int32_t id = 0; id < 5000; ++id) {
    const std::string token = "token " + std::to_string(id * 7);
    const uint64_t hash = vocabulary.prefetch(token);
    vocabulary.prefetch_text(hash);
    ASSERT_EQ(vocabulary.id_of(token), id);
    ASSERT_EQ(vocabulary.id_of(token, hash), id);
  }
  EXPECT_FALSE(vocabulary.id_of("token 1").has_value());
}

}  // namespace
}  // namespace invar

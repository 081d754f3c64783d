// Every kind of model is reached through the one entry.
#include "text/model.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(TokenModel, EachKindEncodes) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add(0, "a"));
  EXPECT_TRUE(vocabulary.add(1, "aa"));
  MergeTable merges(1);
  merges.add({0, 0, 0, 1});
  TokenModel bpe;
  bpe.emplace<Bpe>(vocabulary, merges, BpeOptions{});
  TokenModel scored;
  scored.emplace<ScoredBpe>(vocabulary, std::vector<float>{0, 1}, std::nullopt);
  TokenModel unigram;
  unigram.emplace<Unigram>(vocabulary, std::vector<double>{-1, -1.5}, UnigramOptions{});
  TokenModel wordpiece;
  wordpiece.emplace<WordPiece>(vocabulary, WordPieceOptions{});
  TokenModel wordlevel;
  wordlevel.emplace<WordLevel>(vocabulary, std::nullopt);
  for (const TokenModel* model : {&bpe, &scored, &unigram, &wordpiece, &wordlevel}) {
    TokenModelScratch scratch;
    std::vector<int32_t> ids;
    encode_piece(*model, "aa", scratch, ids);
    EXPECT_EQ(ids, (std::vector<int32_t>{1})) << model->index();
  }
}

}  // namespace
}  // namespace invar

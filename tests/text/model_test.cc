// Every kind of model is reached through the one entry.
#include "text/model.h"

#include <gtest/gtest.h>

#include <fstream>

#include "formats/expect_error.h"
#include "formats/mapped_file.h"
#include "text/shared_files.h"

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

// The size is looked at first: this file has no content on the disk, and none is read.
TEST(TokenModel, APieceHasLessThanTwoGib) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "sparse";
  std::ofstream(path).flush();
  std::filesystem::resize_file(path, (uintmax_t{1} << 31) + 5);
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  TokenModel model;
  model.emplace<WordLevel>(Vocabulary(), std::nullopt);
  TokenModelScratch scratch;
  std::vector<int32_t> ids;
  expect_error([&] { encode_piece(model, text, scratch, ids); }, Code::kExhausted,
               "text: expected less than 2 GiB in one piece, found 2147483653 bytes");
}

}  // namespace
}  // namespace invar

// Checks and cost of embed.
#include "backend/ops/embed.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"
#include "backend/registry.h"

namespace invar {
namespace {

alignas(64) constexpr std::byte kSomeWeight[2 * 2 * 320] = {};

struct Example {
  PackedMatrix weight{
      .format = WeightFormat::kQ4_1, .rows = 20, .columns = 64, .data = kSomeWeight};
  OpStorage storage;
  Embed op{.token_ids = storage.indices({19, 0}),
           .out = storage.view(DType::kF32, 2, 64),
           .attributes = {.weight = &weight}};
};

TEST(EmbedOp, AcceptsTokensOfTheVocabulary) {
  validate(Example().op);
}

TEST(EmbedOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.out.columns = 32;
  EXPECT_DEATH(validate(example.op),
               "embed: operand 'out': expected f32 .2, 64., found f32 .2, 32");
  Example tokens;
  tokens.op.token_ids = tokens.storage.indices({1});
  EXPECT_DEATH(validate(tokens.op), "operand 'token_ids': expected i32 .2, 1., found i32 .1, 1.");
  Example none;
  none.op.attributes.weight = nullptr;
  EXPECT_DEATH(validate(none.op), "embed: expected a weight, found none");
  Example unpacked;
  unpacked.weight.data = nullptr;
  EXPECT_DEATH(validate(unpacked.op), "embed: expected a packed weight");
}

TEST(EmbedOpDeathTest, RefusesTokensOutsideTheVocabulary) {
  for (const int token : {20, -1}) {
    Example example;
    example.op.token_ids = example.storage.indices({0, token});
    EXPECT_DEATH(make_cpu_backend("portable")->run({}, example.op), "embed: token -?[0-9]+ of 20");
    EXPECT_DEATH(make_ref_backend()->run({}, example.op), "embed: token -?[0-9]+ of 20");
  }
}

TEST(EmbedOp, CostCountsTheRowsOfTheTokens) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * (2 * 20 + 4));
  EXPECT_EQ(c.write_bytes, 2 * 64 * 4);
}

}  // namespace
}  // namespace invar

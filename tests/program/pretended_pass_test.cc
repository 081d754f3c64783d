// What a pass would cost, from shapes alone.
#include "program/pretended_pass.h"

#include <gtest/gtest.h>

#include "program/small_model.h"

namespace invar {
namespace {

TEST(PretendedPass, CostsWhatItsOpsCost) {
  const SmallModel model;
  const PretendedPass pass(model.program, 3, 70);
  Cost sum;
  for (const auto& node : model.program.nodes) {
    sum += node->cost(pass.binding());
  }
  EXPECT_EQ(pass.cost().read_bytes, sum.read_bytes);
  EXPECT_EQ(pass.cost().write_bytes, sum.write_bytes);
  EXPECT_EQ(pass.cost().flops, sum.flops);
}

TEST(PretendedPass, ReadsOneRowOfTheEmbeddingAndTheWholeHead) {
  const SmallModel model;
  const int64_t weights = merge_layer_specs(derive_layer_specs(model.program)).weight_bytes;
  const int64_t table =
      packed_bytes(WeightFormat::kQ8_0, SmallModel::kVocabulary, SmallModel::kHidden);
  const int64_t first = PretendedPass(model.program, 1, 0).cost().read_bytes;
  // Beside weights: activations and a row of each norm, which are small.
  EXPECT_GE(first, weights - table);
  EXPECT_LT(first, weights - table + 8000);
}

TEST(PretendedPass, ALaterPositionReadsMoreOfTheCache) {
  for (const bool hybrid : {false, true}) {
    const SmallModel model({.hybrid = hybrid});
    const int64_t near = PretendedPass(model.program, 1, 64).cost().read_bytes;
    const int64_t far = PretendedPass(model.program, 1, 64 + 640).cost().read_bytes;
    const int64_t row = SmallModel::kKvHeads * SmallModel::kHeadDim * 4 * 2;
    EXPECT_EQ(far - near, 640 * row * (hybrid ? 1 : SmallModel::kLayers)) << hybrid;
  }
}

}  // namespace
}  // namespace invar

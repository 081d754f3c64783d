// What the builder's methods for mixtures of experts emit, and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "program/builder.h"

namespace invar {
namespace {

using testing::ElementsAre;

class BuilderRoutedTest : public testing::Test {
 protected:
  LinearWeights weights(const std::string& name, int64_t rows) {
    return {.name = name, .matrix = &matrix(rows), .bias = {}};
  }
  ExpertWeights experts(int64_t rows) {
    return {.name = "experts", .matrix = &matrix(kExperts * rows), .experts = kExperts};
  }
  const PackedMatrix& matrix(int64_t rows) {
    matrices_.push_back({.format = format_, .rows = rows, .columns = 32, .data = nullptr});
    return matrices_.back();
  }

  static constexpr int64_t kExperts = 4;
  WeightFormat format_ = WeightFormat::kBF16;
  std::deque<PackedMatrix> matrices_;
  Builder b_{{}};
  Value x_ = b_.embed(weights("table", 32));
  Builder::Routing routing_ =
      b_.moe_route(b_.linear(x_, weights("router", kExperts)), "bias", {}, {.top_k = 2});
};

TEST_F(BuilderRoutedTest, RoutedValuesHaveARowForEachExpertOfARow) {
  format_ = WeightFormat::kQ8_0;
  const Value gate_up = b_.expert_linear(x_, routing_, experts(64));
  const int64_t widths[] = {32, 32};
  const std::vector<Value> parts = b_.split(gate_up, widths);
  const Value y = b_.expert_linear(b_.silu_mul(parts[0], parts[1]), routing_, experts(32));
  const Value sum = b_.moe_combine(y, routing_, {.addend = x_});
  const Program program = b_.finish(b_.linear(b_.gather_logit_rows(sum), weights("head", 32)));

  std::vector<std::string> ops;
  std::vector<int64_t> factors;  // of what each op writes last
  for (const auto& node : program.nodes) {
    ops.emplace_back(node->name());
    node->visit([&](const char* /*field*/, Use use, const Operand& operand) {
      if (use == Use::kWrite) {
        factors.resize(ops.size());
        factors.back() = program.values[operand.index].row_factor;
      }
    });
  }
  EXPECT_THAT(ops, ElementsAre("embed", "linear", "moe_route", "quantize_rows", "expert_linear",
                               "silu_mul", "quantize_rows", "expert_linear", "moe_combine",
                               "gather_rows", "quantize_rows", "linear"));
  EXPECT_THAT(factors, ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1));
  EXPECT_EQ(program.nodes[4]->weight()->rows, 4 * 64);
}

TEST_F(BuilderRoutedTest, RefusesRowsThatAreNotRouted) {
  const Value y = b_.expert_linear(x_, routing_, experts(32));
  EXPECT_DEATH(b_.moe_combine(x_, routing_, {}), "row_factor");
  EXPECT_DEATH(b_.moe_combine(y, routing_, {.addend = y}), "same_rows");
  EXPECT_DEATH(b_.add(x_, y), "same_rows");
  EXPECT_DEATH(b_.gather_logit_rows(y), "row_factor");
}

TEST_F(BuilderRoutedTest, RefusesOtherSizes) {
  std::vector<float> bias(3);
  const Value logits = b_.linear(x_, weights("router", kExperts));
  EXPECT_DEATH(b_.moe_route(logits, "bias", dense_view(bias.data(), DType::kF32, 1, 3), {}),
               "bias: 3 columns for 4 experts");
  ExpertWeights uneven = experts(32);
  uneven.experts = 3;
  EXPECT_DEATH(b_.expert_linear(x_, routing_, uneven), "experts: 128 rows, 3 experts");
  EXPECT_DEATH(b_.expert_linear(logits, routing_, experts(32)),
               "experts: 4 columns for a matrix of 32");
}

}  // namespace
}  // namespace invar

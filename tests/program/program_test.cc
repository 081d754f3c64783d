// Binding of operands to memory, specs derived from ops, and copies of a list.
#include "program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/plan.h"
#include "program/small_model.h"

namespace invar {
namespace {

using testing::ElementsAre;

TEST(Program, LayerSpecsFollowFromTheOps) {
  const SmallModel model({.format = WeightFormat::kQ8_0,
                          .policy = {.activation_dtype = DType::kF32, .kv_dtype = DType::kF16},
                          .context = 300});
  const std::vector<LayerSpec> specs = derive_layer_specs(model.program);
  ASSERT_EQ(specs.size(), 3u);
  EXPECT_EQ(specs[0].layer, -1);
  EXPECT_TRUE(specs[0].state_kinds.empty());
  EXPECT_EQ(specs[0].positions_max, kNoPositionLimit);
  // Embedding and head: 64 rows of one group of 34 bytes each.
  EXPECT_EQ(specs[0].weight_bytes, 2 * packed_bytes(WeightFormat::kQ8_0, 64, 32));
  for (const int layer : {0, 1}) {
    const LayerSpec& spec = specs[layer + 1];
    EXPECT_EQ(spec.layer, layer);
    EXPECT_THAT(spec.state_kinds, ElementsAre("kv"));
    // One head of 16 keys and 16 values in f16.
    EXPECT_EQ(spec.state_bytes_per_position, 64);
    EXPECT_EQ(spec.positions_max, 300);
    EXPECT_EQ(spec.weight_bytes, packed_bytes(WeightFormat::kQ8_0, 64, 32) +      // qkv
                                     packed_bytes(WeightFormat::kQ8_0, 32, 32) +  // out
                                     packed_bytes(WeightFormat::kQ8_0, 128, 32) +
                                     packed_bytes(WeightFormat::kQ8_0, 32, 64));
  }
}

TEST(Program, BindsOperandsToMemory) {
  Program program;
  program.values.push_back(
      {.rows = RowSet::kPass, .columns = 64, .dtype = DType::kF32, .name = "x"});
  program.values.push_back(
      {.rows = RowSet::kLogits, .columns = 32, .dtype = DType::kBF16, .name = "y"});
  std::vector<float> constant(5);
  program.constants.push_back(
      {.name = "c", .view = dense_view(constant.data(), DType::kF32, 1, 5)});
  std::vector<float> state(100);
  const std::vector<TensorView> states = {dense_view(state.data(), DType::kF32, 4, 25)};
  PassTables tables({.rows_max = 4, .segments_max = 1, .logit_rows_max = 4, .kv_blocks_max = 1});
  const int32_t tokens[] = {1, 2, 3};
  const int32_t kv_blocks[] = {0};
  tables.add({.token_ids = tokens, .first_position = 0, .kv_blocks = kv_blocks, .logit_rows = 2});
  const ArenaPlan plan{.values = {{.offset_bytes = 128}, {.offset_bytes = 64}}, .bytes = 4096};
  std::vector<std::byte> arena(4096);
  const Binding binding({.program = &program,
                         .arena_plan = &plan,
                         .arena = arena.data(),
                         .state_buffers = &states,
                         .tables = &tables});

  EXPECT_FALSE(binding.resolve({}));
  const TensorView x =
      binding.resolve({.kind = OperandKind::kValue, .index = 0, .first_column = 16, .columns = 8});
  EXPECT_EQ(x.data, arena.data() + 128 + 16 * 4);
  EXPECT_EQ(x.rows, 3);
  EXPECT_EQ(x.columns, 8);
  EXPECT_EQ(x.stride_bytes, 64 * 4);
  const TensorView y =
      binding.resolve({.kind = OperandKind::kValue, .index = 1, .first_column = 0, .columns = 32});
  EXPECT_EQ(y.data, arena.data() + 64);
  EXPECT_EQ(y.rows, 2);
  EXPECT_EQ(y.dtype, DType::kBF16);
  EXPECT_EQ(y.stride_bytes, 64);
  EXPECT_EQ(binding.resolve({.kind = OperandKind::kConstant, .index = 0, .columns = 5}).data,
            constant.data());
  EXPECT_EQ(binding.resolve({.kind = OperandKind::kState, .index = 0, .columns = 25}).data,
            state.data());
  const TensorView ids = binding.resolve(
      {.kind = OperandKind::kTable, .index = static_cast<int32_t>(PassTable::kTokenIds)});
  EXPECT_EQ(ids.row<int32_t>(2)[0], 3);
}

TEST(Program, ACopyIsAListOfItsOwn) {
  const SmallModel model;
  Program copied = copy(model.program);
  EXPECT_EQ(describe_program(copied, 3, 0), describe_program(model.program, 3, 0));
  copied.nodes.pop_back();
  copied.nodes.front()->label = "changed";
  EXPECT_NE(copied.nodes.size(), model.program.nodes.size());
  EXPECT_EQ(model.program.nodes.front()->label, "embedding");
}

}  // namespace
}  // namespace invar

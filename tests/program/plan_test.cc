// The text of a plan: a line an op with what it moves, then the totals.
#include "program/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/small_model.h"

namespace invar {
namespace {

TEST(Plan, DescribesAProgram) {
  PackedMatrix matrix;
  matrix.format = WeightFormat::kBF16;
  matrix.rows = 32;
  matrix.columns = 32;
  std::vector<float> numbers(64);
  Builder b({.activation_dtype = DType::kBF16, .kv_dtype = DType::kF16});
  const Value x = b.embed({.name = "table", .matrix = &matrix, .bias = {}});
  b.set_layer(0);
  const AttentionState state = b.paged_attention_state(1, 16);
  const int64_t widths[] = {16, 16};
  const std::vector<Value> parts = b.split(x, widths);
  b.kv_write(state, parts[0], parts[1]);
  const Value h = b.rms_norm(
      x, {.name = "norm", .weight = dense_view(numbers.data(), DType::kF32, 1, 32), .eps = 0});
  b.set_layer(-1);
  const Value logits = b.linear(
      b.gather_logit_rows(h),
      {.name = "head", .matrix = &matrix, .bias = dense_view(numbers.data(), DType::kF32, 1, 32)});
  const Program program = b.finish(logits);

  std::vector<std::string> lines;
  for (const auto& node : program.nodes) {
    lines.push_back(describe_node(program, *node));
  }
  EXPECT_THAT(lines,
              testing::ElementsAre(
                  "embed                   table                    token_ids=token_ids "
                  "->out=%0[rows, 32] f32",
                  "kv_write      layer 0   cache                    k=%0[rows, 16 @0] f32 "
                  "v=%0[rows, 16 @16] f32 positions=positions row_segment=row_segment "
                  "block_table=block_table write_from=kv_write_from ->k_cache=<layer 0 "
                  "keys>[kv_blocks, 1024] f16 "
                  "->v_cache=<layer 0 values>[kv_blocks, 1024] f16",
                  "rms_norm      layer 0   norm                     x=%0[rows, 32] f32 "
                  "weight='norm'[1, 32] f32 ->out=%1[rows, 32] bf16",
                  "gather_rows             logit rows               x=%1[rows, 32] bf16 "
                  "row_index=logit_rows ->out=%2[logit_rows, 32] bf16",
                  "linear                  head                     x=%2[logit_rows, 32] bf16 "
                  "bias='head bias'[1, 32] f32 ->out=%3[logit_rows, 32] f32"));

  // The table is the head too, and is there once.
  const std::string text = describe_program(program, 5, 100);
  EXPECT_THAT(text, testing::EndsWith("; weights 2048 bytes; state 64 bytes a position; arena " +
                                      std::to_string(plan_arena(program, {.rows_max = 5,
                                                                          .segments_max = 1,
                                                                          .logit_rows_max = 1,
                                                                          .kv_blocks_max = 2})
                                                         .bytes) +
                                      " bytes; positions at most unlimited\n"));
  EXPECT_THAT(text, testing::HasSubstr("total: 5 ops, 5 row(s) at position 100: "));
  for (const std::string& line : lines) {
    EXPECT_THAT(text, testing::HasSubstr("  " + line + "\n"));
  }
}

TEST(Plan, CostsGrowWithRowsAndPosition) {
  const SmallModel model;
  const auto flops = [&](int64_t rows, int64_t position) {
    const std::string text = describe_program(model.program, rows, position);
    const size_t end = text.find(" FLOPs");
    return std::stoll(text.substr(text.rfind(' ', end - 1) + 1));
  };
  EXPECT_GT(flops(2, 0), flops(1, 0));
  EXPECT_GT(flops(1, 500), flops(1, 0));  // attention sees more keys
}

TEST(Plan, SaysWhereThePositionsEnd) {
  const SmallModel model({.context = 77});
  EXPECT_THAT(describe_program(model.program, 1, 0), testing::EndsWith("positions at most 77\n"));
}

}  // namespace
}  // namespace invar

// linear then add becomes one op, with the same bits; and only where nobody else sees the product.
#include "program/fuse/linear_add.h"

#include <gtest/gtest.h>

#include "backend/registry.h"
#include "program/builder.h"
#include "program/executor.h"
#include "program/small_model.h"

namespace invar {
namespace {

class LinearAddTest : public testing::Test {
 protected:
  LinearAddTest() {
    matrix_.format = WeightFormat::kF32;
    matrix_.rows = 32;
    matrix_.columns = 32;
  }

  LinearWeights weights(const std::string& name) const {
    return {.name = name, .matrix = &matrix_, .bias = {}};
  }
  // Ends the program with logits of `x`; its last two ops are no match.
  Program finish(Value x) { return b_.finish(b_.linear(b_.gather_logit_rows(x), weights("head"))); }

  PackedMatrix matrix_;
  Builder b_{NumericPolicy{}};
};

const LinearArgs<Operand>& linear_at(const Program& program, int node) {
  return dynamic_cast<const OpNode<LinearArgs>&>(*program.nodes.at(node)).args;
}

TEST_F(LinearAddTest, EitherOperandMayBeTheProduct) {
  const Value x = b_.embed(weights("table"));
  const Value left = b_.add(b_.linear(x, weights("a")), x);
  const Value right = b_.add(left, b_.linear(left, weights("b")));
  Program program = finish(right);
  EXPECT_EQ(fuse_linear_add(program), 2);
  ASSERT_EQ(program.nodes.size(), 5u);  // embed, two products, gather, head
  EXPECT_EQ(linear_at(program, 1).addend.index, x.id);
  EXPECT_EQ(linear_at(program, 1).out.index, left.id);
  EXPECT_EQ(linear_at(program, 2).addend.index, left.id);
  EXPECT_EQ(linear_at(program, 2).out.index, right.id);
  EXPECT_EQ(program.nodes[1]->label, "a");
  EXPECT_EQ(fuse_linear_add(program), 0);  // nothing is left
}

TEST_F(LinearAddTest, NotWhenTheProductHasAnotherReader) {
  const Value x = b_.embed(weights("table"));
  const Value product = b_.linear(x, weights("a"));
  const Value sum = b_.add(product, x);
  Program program = finish(b_.add(sum, product));
  EXPECT_EQ(fuse_linear_add(program), 0);
  EXPECT_EQ(program.nodes.size(), 6u);
}

TEST_F(LinearAddTest, NotWhenTheProductIsAddedToItself) {
  const Value x = b_.embed(weights("table"));
  const Value product = b_.linear(x, weights("a"));
  Program program = finish(b_.add(product, product));
  EXPECT_EQ(fuse_linear_add(program), 0);
}

TEST_F(LinearAddTest, NotWhenAWindowIsAdded) {
  PackedMatrix wide = matrix_;
  wide.rows = 64;
  const Value x = b_.embed(weights("table"));
  const int64_t widths[] = {32, 32};
  const Value product = b_.linear(x, {.name = "wide", .matrix = &wide, .bias = {}});
  Program program = finish(b_.add(b_.split(product, widths)[0], x));
  EXPECT_EQ(fuse_linear_add(program), 0);
}

TEST_F(LinearAddTest, NotWhenThereIsAnAddendAlready) {
  const Value x = b_.embed(weights("table"));
  const Value product = b_.linear(x, weights("a"), {.addend = x});
  Program program = finish(b_.add(product, x));
  EXPECT_EQ(fuse_linear_add(program), 0);
}

TEST_F(LinearAddTest, NotAcrossAnotherOp) {
  const Value x = b_.embed(weights("table"));
  const Value product = b_.linear(x, weights("a"));
  const Value other = b_.silu_mul(x, x);
  Program program = finish(b_.add(product, other));
  EXPECT_EQ(fuse_linear_add(program), 0);
}

std::vector<float> run(const Program& program, const Backend& backend, const DType kv_dtype) {
  PassTables tables({.rows_max = 90, .segments_max = 1, .logit_rows_max = 90, .kv_blocks_max = 2});
  std::vector<int32_t> tokens;
  for (int32_t i = 0; i < 90; ++i) {
    tokens.push_back(i * 13 % SmallModel::kVocabulary);
  }
  const int32_t kv_blocks[] = {1, 0};
  tables.add({.token_ids = tokens, .first_position = 0, .kv_blocks = kv_blocks, .logit_rows = 90});
  std::vector<std::vector<float>> memory;
  std::vector<TensorView> state;
  for (const StateBufferInfo& info : program.state_buffers) {
    EXPECT_EQ(info.dtype, kv_dtype);
    memory.emplace_back(2 * info.columns);
    state.push_back(dense_view(memory.back().data(), info.dtype, 2, info.columns));
  }
  ThreadTeam team(2);
  Executor executor({.program = &program,
                     .backend = &backend,
                     .team = &team,
                     .state_buffers = state,
                     .tables = &tables});
  executor.poison_arena();
  executor.run();
  const auto* logits = executor.logits().row<float>(0);
  return {logits, logits + 90 * SmallModel::kVocabulary};
}

TEST(LinearAddBits, AreThoseOfTheUnfusedList) {
  for (const WeightFormat format : {WeightFormat::kF32, WeightFormat::kQ8_0}) {
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      if (format == WeightFormat::kQ8_0 && dtype == DType::kBF16) {
        continue;  // quantized rows are made from f32
      }
      const SmallModel model({.format = format, .policy = {.activation_dtype = dtype}});
      Program fused = copy(model.program);
      EXPECT_EQ(fuse_linear_add(fused), 2 * SmallModel::kLayers);
      for (const std::string_view isa : supported_isas()) {
        const std::unique_ptr<Backend> backend = make_cpu_backend(isa);
        EXPECT_EQ(run(fused, *backend, DType::kF32), run(model.program, *backend, DType::kF32))
            << isa;
      }
    }
  }
}

}  // namespace
}  // namespace invar

// What the law asks of attention beyond row purity: keys after a row's position have no influence
// whatever they hold, and a prompt may be cut anywhere.
#include "conformance/cases/attention.h"

#include <gtest/gtest.h>

#include "backend/registry.h"

namespace invar::conformance {
namespace {

// One segment from position 0, long enough to cross tiles and two partial results.
OpCase<Attention> long_prompt(DType cache, int64_t latent_value_dim = 0) {
  return attention_case({.segments = {{0, 530}},
                         .heads = 3,
                         .kv_heads = 1,
                         .head_dim = 32,
                         .latent_value_dim = latent_value_dim,
                         .scale = 1.0f,
                         .cache = cache});
}

void poison_position(const Attention& op, int64_t position) {
  const int64_t kv_block = op.block_table.row<int32_t>(0)[position / kKvBlockRows];
  const int64_t place = position % kKvBlockRows;
  for (int64_t d = 0; d < op.attributes.head_dim; ++d) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    set_number(op.k_cache, kv_block, d * kKvBlockRows + place, nan);
    if (op.v_cache) {
      set_number(op.v_cache, kv_block, place * op.attributes.head_dim + d, nan);
    }
  }
}

void expect_later_keys_unread(const OpCase<Attention>& op_case) {
  const Problem<Attention> problem = op_case.make();
  const auto backend = make_cpu_backend("");
  backend->run({}, problem.op);
  const std::vector<double> expected = numbers(problem.op.out);
  // From the last row back, each row sees a cache in which all later positions are NaN.
  for (int64_t t = problem.rows - 1; t >= 0; --t) {
    backend->run({}, problem.row_alone(t));
    poison_position(problem.op, t);
  }
  EXPECT_EQ(numbers(problem.op.out), expected) << op_case.name;
}

TEST(AttentionLaw, LaterKeysMayHoldAnything) {
  for (DType cache : {DType::kF32, DType::kBF16, DType::kF16}) {
    expect_later_keys_unread(long_prompt(cache));
    expect_later_keys_unread(long_prompt(cache, 16));
  }
}

void expect_any_cut_equal(const OpCase<Attention>& op_case) {
  const Problem<Attention> problem = op_case.make();
  const Image start = problem.memory->image();
  std::mt19937 random(3);
  for (std::string_view isa : supported_isas()) {
    const auto backend = make_cpu_backend(isa);
    problem.memory->restore(start);
    backend->run({}, problem.op);
    const Image expected = problem.memory->image();
    problem.memory->restore(start);
    for (int64_t begin = 0; begin < problem.rows;) {
      const int64_t rows = std::min<int64_t>(1 + random() % 90, problem.rows - begin);
      const int32_t cu_rows[] = {0, static_cast<int32_t>(rows)};
      Attention part = problem.op;
      for (TensorView* view : {&part.q, &part.positions, &part.out}) {
        *view = row_view(*view, begin);
        view->rows = rows;
      }
      part.cu_rows = dense_view(const_cast<int32_t*>(cu_rows), DType::kI32, 2, 1);
      backend->run({}, part);
      begin += rows;
    }
    EXPECT_EQ(problem.memory->difference(expected, problem.memory->image()), "")
        << isa << " " << op_case.name;
  }
}

TEST(AttentionLaw, APromptMayBeCutAnywhere) {
  expect_any_cut_equal(long_prompt(DType::kBF16));
  expect_any_cut_equal(long_prompt(DType::kBF16, 16));
}

TEST(AttentionLawDeathTest, PositionsThatDoNotFollowAreABug) {
  const Problem<Attention> problem = long_prompt(DType::kF32).make();
  *problem.op.positions.row<int32_t>(7) = 100;
  EXPECT_DEATH(make_cpu_backend("")->run({}, problem.op),
               "row 7 of segment 0: expected position 7, found 100");
}

TEST(AttentionLawDeathTest, ForeignKvBlocksAreABug) {
  const Problem<Attention> problem = long_prompt(DType::kF32).make();
  problem.op.block_table.row<int32_t>(0)[3] = 99;
  EXPECT_DEATH(make_cpu_backend("")->run({}, problem.op), "kv_block 99 of");
}

}  // namespace
}  // namespace invar::conformance

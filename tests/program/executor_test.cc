// One list, three ways to walk it: all give the same output.
#include "program/executor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "backend/registry.h"
#include "formats/expect_error.h"
#include "program/pretended_node.h"
#include "program/small_model.h"

// Sanitizers end the process at a request for too much memory, unless told otherwise.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace invar {
namespace {

constexpr PassLimits kLimits{
    .rows_max = 40, .segments_max = 2, .logit_rows_max = 20, .kv_blocks_max = 2};

// A program with memory for two sequences of two kv_blocks, and the tables of one pass: 20 rows of
// one sequence and 3 of another, logits of 5 and 1.
class ExecutorTest : public testing::Test {
 protected:
  ExecutorTest() {
    for (const StateBufferInfo& info : model_.program.state_buffers) {
      state_.push_back(std::vector<float>(4 * info.columns));
      views_.push_back(dense_view(state_.back().data(), info.dtype, 4, info.columns));
    }
    fill_tables(20);
  }

  void fill_tables(int32_t first_token) {
    std::vector<int32_t> tokens(23);
    std::iota(tokens.begin(), tokens.end(), first_token);
    const int32_t first_kv_blocks[] = {2, 0};
    const int32_t second_kv_blocks[] = {1};
    tables_.clear();
    tables_.add({.token_ids = std::span(tokens).first(20),
                 .first_position = 0,
                 .kv_blocks = first_kv_blocks,
                 .logit_rows = 5});
    tables_.add({.token_ids = std::span(tokens).last(3),
                 .first_position = 0,
                 .kv_blocks = second_kv_blocks,
                 .logit_rows = 1});
  }

  Executor make(ThreadTeam& team) {
    return Executor({.program = &model_.program,
                     .backend = backend_.get(),
                     .team = &team,
                     .state_buffers = views_,
                     .tables = &tables_});
  }
  static std::vector<float> logits_of(const Executor& executor) {
    const TensorView view = executor.logits();
    EXPECT_EQ(view.rows, 6);
    EXPECT_EQ(view.columns, SmallModel::kVocabulary);
    std::vector<float> logits;
    for (int64_t row = 0; row < view.rows; ++row) {
      logits.insert(logits.end(), view.row<float>(row), view.row<float>(row) + view.columns);
    }
    return logits;
  }

  SmallModel model_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  PassTables tables_{kLimits};
  std::vector<std::vector<float>> state_;
  std::vector<TensorView> views_;
};

TEST_F(ExecutorTest, ModesAgree) {
  ThreadTeam team(2);
  Executor executor = make(team);
  executor.run();
  const std::vector<float> plain = logits_of(executor);

  executor.poison_arena();
  std::vector<OpProfile> profile;
  executor.run_profiled(profile);
  EXPECT_EQ(logits_of(executor), plain);

  executor.poison_arena();
  const std::vector<OpDigests> digests = executor.run_hashed();
  EXPECT_EQ(logits_of(executor), plain);

  // The last digests are those of the logits.
  EXPECT_EQ(digests.back().rows, RowSet::kLogits);
  EXPECT_EQ(digests.back().window.id, model_.program.output.id);
  EXPECT_EQ(digests.back().row_digests.size(), 6u);
  EXPECT_EQ(digests.back().node, static_cast<int>(model_.program.nodes.size()) - 1);
}

TEST_F(ExecutorTest, ProfileSumsOverPasses) {
  ThreadTeam team(1);
  Executor executor = make(team);
  std::vector<OpProfile> profile;
  executor.run_profiled(profile);
  ASSERT_EQ(profile.size(), model_.program.nodes.size());
  const std::vector<OpProfile> once = profile;
  executor.run_profiled(profile);
  for (size_t i = 0; i < profile.size(); ++i) {
    EXPECT_EQ(profile[i].node, static_cast<int>(i));
    EXPECT_EQ(once[i].calls, 1);
    EXPECT_EQ(profile[i].calls, 2);
    EXPECT_GE(profile[i].seconds, once[i].seconds);
    EXPECT_GT(once[i].cost.read_bytes, 0);
    EXPECT_EQ(profile[i].cost.read_bytes, 2 * once[i].cost.read_bytes);
    EXPECT_EQ(profile[i].cost.write_bytes, 2 * once[i].cost.write_bytes);
    EXPECT_EQ(profile[i].cost.flops, 2 * once[i].cost.flops);
  }
}

TEST_F(ExecutorTest, DigestsCoverEveryWriteOfAValueAndFollowTheInput) {
  ThreadTeam team(1);
  Executor executor = make(team);
  const std::vector<OpDigests> first = executor.run_hashed();
  size_t written = 0;
  for (const auto& node : model_.program.nodes) {
    node->visit([&](const char* /*field*/, Use use, const Operand& operand) {
      written +=
          operand.kind == OperandKind::kValue && (use == Use::kWrite || use == Use::kReadWrite) ? 1
                                                                                                : 0;
    });
  }
  EXPECT_EQ(first.size(), written);
  const std::vector<OpDigests> second = executor.run_hashed();
  fill_tables(21);
  const std::vector<OpDigests> other = executor.run_hashed();
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].row_digests, second[i].row_digests);
    EXPECT_NE(first[i].row_digests, other[i].row_digests);
    EXPECT_EQ(first[i].row_digests.size(), first[i].rows == RowSet::kPass ? 23u : 6u);
  }
}

TEST_F(ExecutorTest, LanesDoNotMatter) {
  ThreadTeam one(1);
  Executor alone = make(one);
  alone.run();
  const std::vector<float> expected = logits_of(alone);
  for (const int lanes : {2, 3, 5}) {
    ThreadTeam team(lanes);
    Executor executor = make(team);
    executor.run();
    EXPECT_EQ(logits_of(executor), expected) << lanes;
  }
}

TEST_F(ExecutorTest, PoisonedArenaReadsAsNaN) {
  ThreadTeam team(1);
  Executor executor = make(team);
  EXPECT_EQ(executor.arena_bytes(), plan_arena(model_.program, kLimits).bytes);
  executor.run();
  executor.poison_arena();
  for (const float logit : logits_of(executor)) {
    EXPECT_TRUE(std::isnan(logit));
  }
}

TEST_F(ExecutorTest, MemoryThatCannotBeHad) {
  // More than an address space.
  Program program;
  program.values.push_back(
      {.rows = RowSet::kPass, .columns = int64_t{1} << 30, .dtype = DType::kF32, .name = "x"});
  program.nodes.push_back(
      std::make_unique<PretendedNode>(std::vector<PretendedNode::Access>{{Use::kWrite, 0}}));
  const PassTables tables(
      {.rows_max = int64_t{1} << 20, .segments_max = 1, .logit_rows_max = 1, .kv_blocks_max = 1});
  ThreadTeam team(1);
  expect_error(
      [&] {
        Executor({.program = &program,
                  .backend = backend_.get(),
                  .team = &team,
                  .state_buffers = {},
                  .tables = &tables});
      },
      Code::kExhausted, "memory for activations: 4503599627370560 bytes could not be allocated");
}

}  // namespace
}  // namespace invar

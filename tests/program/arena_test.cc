// Placement of values: nothing alive overlaps, whatever the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "program/pretended_node.h"
#include "program/program.h"
#include "program/small_model.h"

namespace invar {
namespace {

constexpr PassLimits kLimits{
    .rows_max = 7, .segments_max = 2, .logit_rows_max = 3, .kv_blocks_max = 1};

int64_t bytes_of(const ValueInfo& info) {
  return (info.rows == RowSet::kPass ? kLimits.rows_max : kLimits.logit_rows_max) *
         row_bytes(info.dtype, info.columns);
}

void expect_no_overlap(const Program& program, const ArenaPlan& plan) {
  const auto count = static_cast<int>(program.values.size());
  ASSERT_EQ(std::ssize(plan.values), count);
  int64_t sum = 0;
  for (int a = 0; a < count; ++a) {
    const ValuePlacement& first = plan.values[a];
    if (first.first_node < 0) {
      continue;  // never written
    }
    sum += bytes_of(program.values[a]) + 63;
    EXPECT_EQ(first.offset_bytes % 64, 0);
    EXPECT_LE(first.offset_bytes + bytes_of(program.values[a]), plan.bytes);
    for (int b = a + 1; b < count; ++b) {
      const ValuePlacement& second = plan.values[b];
      const bool both_alive = second.first_node >= 0 && first.first_node <= second.last_node &&
                              second.first_node <= first.last_node;
      const bool apart = first.offset_bytes + bytes_of(program.values[a]) <= second.offset_bytes ||
                         second.offset_bytes + bytes_of(program.values[b]) <= first.offset_bytes;
      EXPECT_TRUE(!both_alive || apart) << "values " << a << " and " << b;
    }
  }
  EXPECT_LE(plan.bytes, sum);
}

Program random_program(std::mt19937& random) {
  const auto below = [&](int count) {
    return static_cast<int>(std::uniform_int_distribution<>(0, count - 1)(random));
  };
  Program program;
  const int nodes = 1 + below(40);
  for (int node = 0; node < nodes; ++node) {
    std::vector<PretendedNode::Access> accesses;
    const auto known = static_cast<int>(program.values.size());
    for (int i = below(4); i > 0 && known > 0; --i) {
      // Mostly recent values, at times old ones.
      const int value = below(3) == 0 ? below(known) : known - 1 - below(std::min(known, 3));
      accesses.push_back({below(4) == 0 ? Use::kReadWrite : Use::kRead, value});
    }
    for (int i = 1 + below(2); i > 0; --i) {
      accesses.push_back({Use::kWrite, static_cast<int32_t>(program.values.size())});
      constexpr DType kDTypes[] = {DType::kF32, DType::kBF16, DType::kQ8Row};
      program.values.push_back({.rows = below(4) == 0 ? RowSet::kLogits : RowSet::kPass,
                                .columns = 32 * (1 + below(20)),
                                .dtype = kDTypes[below(3)],
                                .name = ""});
    }
    program.nodes.push_back(std::make_unique<PretendedNode>(std::move(accesses)));
  }
  const auto last = static_cast<int32_t>(program.values.size()) - 1;
  program.output = {.id = below(last + 1), .first_column = 0, .columns = 32};
  return program;
}

TEST(Arena, ValuesAliveTogetherNeverOverlap) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const Program program = random_program(random);
    const ArenaPlan plan = plan_arena(program, kLimits);
    expect_no_overlap(program, plan);
    EXPECT_EQ(plan.values[program.output.id].last_node, static_cast<int>(program.nodes.size()));
  }
}

TEST(Arena, MemoryOfDeadValuesIsUsedAgain) {
  // A chain: two values are alive at a time, however long it is.
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.values.push_back(
        {.rows = RowSet::kPass, .columns = 64, .dtype = DType::kF32, .name = "x"});
    std::vector<PretendedNode::Access> accesses = {{Use::kWrite, i}};
    if (i > 0) {
      accesses.push_back({Use::kRead, i - 1});
    }
    program.nodes.push_back(std::make_unique<PretendedNode>(std::move(accesses)));
  }
  program.output = {.id = 19, .first_column = 0, .columns = 64};
  EXPECT_EQ(plan_arena(program, kLimits).bytes, 2 * 7 * 64 * 4);
}

TEST(Arena, SmallModel) {
  const SmallModel model;
  const ArenaPlan plan = plan_arena(model.program, kLimits);
  expect_no_overlap(model.program, plan);
  int64_t all = 0;
  for (const ValueInfo& info : model.program.values) {
    all += bytes_of(info);
  }
  EXPECT_LT(plan.bytes, all / 3);
}

TEST(ArenaDeathTest, ReadBeforeWritten) {
  Program program;
  program.values.push_back(
      {.rows = RowSet::kPass, .columns = 32, .dtype = DType::kF32, .name = "x"});
  program.nodes.push_back(
      std::make_unique<PretendedNode>(std::vector<PretendedNode::Access>{{Use::kRead, 0}}));
  EXPECT_DEATH(plan_arena(program, kLimits), "value 0 read before written");
}

}  // namespace
}  // namespace invar

// The lowest position comes first, then the earliest op; lists with and without fusion are matched
// by what they write.
#include "engine/law_bisect.h"

#include <gtest/gtest.h>

#include "program/fuse/rule.h"
#include "program/small_model.h"

namespace invar {
namespace {

// The writes of a program's nodes as digests of one pass; `digest(node, row)` chooses the bytes.
template <class Digest>
std::vector<OpDigests> digests_of(const Program& program, int64_t rows, int64_t logit_rows,
                                  Digest digest) {
  std::vector<OpDigests> writes;
  for (int node = 0; node < static_cast<int>(program.nodes.size()); ++node) {
    program.nodes[node]->visit([&](const char* /*field*/, Use use, const Operand& operand) {
      if (operand.kind != OperandKind::kValue || use == Use::kRead || use == Use::kOptional) {
        return;
      }
      OpDigests& write = writes.emplace_back();
      write.node = node;
      write.rows = program.values[operand.index].rows;
      write.window = {operand.index, operand.first_column, operand.columns};
      for (int64_t row = 0; row < (write.rows == RowSet::kPass ? rows : logit_rows); ++row) {
        write.row_digests.push_back(digest(node, row));
      }
    });
  }
  return writes;
}

int find_node(const Program& program, const std::string& text) {
  for (int node = 0; node < static_cast<int>(program.nodes.size()); ++node) {
    if (op_text(*program.nodes[node]) == text) {
      return node;
    }
  }
  ADD_FAILURE() << text;
  return -1;
}

TEST(LawBisect, NamesOps) {
  const SmallModel model;
  find_node(model.program, "linear layer 1 qkv");
  find_node(model.program, "attention layer 1");
  find_node(model.program, "rope layer 0");
  find_node(model.program, "embed embedding");
  find_node(model.program, "linear head");
}

class LawBisectTest : public testing::Test {
 protected:
  static constexpr int64_t kRows = 6;

  // Digests of a pass over positions 0 to 5, all with logits.
  template <class Digest>
  LawReplay::HashedPass pass(const Program& program, Digest digest) {
    digests_ = digests_of(program, kRows, kRows, digest);
    return {.digests = digests_, .row_positions = positions_, .logit_row_positions = positions_};
  }
  static uint64_t usual(int /*node*/, int64_t row) { return 100 + static_cast<uint64_t>(row); }

  SmallModel model_;
  std::vector<OpDigests> digests_;
  std::vector<int64_t> positions_ = {0, 1, 2, 3, 4, 5};
};

TEST_F(LawBisectTest, EqualPassesHaveNoDifference) {
  LawDigests digests(model_.program, kRows);
  digests.record(pass(model_.program, &usual));
  digests.compare(pass(model_.program, &usual));
  EXPECT_FALSE(digests.first_difference().has_value());
}

TEST_F(LawBisectTest, LowestPositionThenEarliestOp) {
  const int qkv = find_node(model_.program, "linear layer 1 qkv");
  LawDigests digests(model_.program, kRows);
  digests.record(pass(model_.program, &usual));
  digests.compare(pass(model_.program, [&](int node, int64_t row) {
    // An earlier op differs at a higher position, a later op at the lowest.
    const bool differs = row == 4 || (row == 3 && node >= qkv);
    return usual(node, row) + (differs ? 1 : 0);
  }));
  const std::optional<LawDifference> first = digests.first_difference();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->position, 3);
  EXPECT_EQ(first->op, "linear layer 1 qkv");
}

TEST_F(LawBisectTest, RowsGoByPosition) {
  LawDigests digests(model_.program, kRows);
  digests.record(pass(model_.program, &usual));
  // The same rows in another order, and a stranger's.
  positions_ = {5, 4, 3, -1, 1, 0};
  digests.compare(pass(model_.program,
                       [](int node, int64_t row) { return row == 3 ? 7 : usual(node, 5 - row); }));
  EXPECT_FALSE(digests.first_difference().has_value());
}

TEST_F(LawBisectTest, FusedAndUnfusedListsAreCompared) {
  Program fused = copy(model_.program);
  ASSERT_EQ(fuse(fused), 2 * SmallModel::kLayers);
  const int add = find_node(fused, "linear layer 0 out");
  LawDigests digests(fused, kRows);
  digests.record(pass(fused, &usual));
  digests.compare(pass(model_.program, &usual));
  EXPECT_FALSE(digests.first_difference().has_value());
  // The product before the addition exists in one list only; the sum is compared.
  const int product = find_node(model_.program, "linear layer 0 out");
  digests.compare(pass(model_.program, [&](int node, int64_t row) {
    return usual(node, row) + (node == product ? 1 : 0);
  }));
  EXPECT_FALSE(digests.first_difference().has_value());
  digests.compare(pass(model_.program, [&](int node, int64_t row) {
    return usual(node, row) + (node == product + 1 && row == 2 ? 1 : 0);
  }));
  ASSERT_TRUE(digests.first_difference().has_value());
  EXPECT_EQ(digests.first_difference()->op, op_text(*fused.nodes[add]));
  EXPECT_EQ(digests.first_difference()->position, 2);
}

TEST_F(LawBisectTest, RepeatedWritesAreCountedFromTheLast) {
  // A list without the first of two writes to a window: the remaining one is the last.
  const auto write = [](int node, uint64_t digest) {
    return OpDigests{.node = node,
                     .rows = RowSet::kPass,
                     .window = {.id = 0, .first_column = 0, .columns = 32},
                     .row_digests = {digest}};
  };
  const std::vector<int64_t> positions = {0};
  const auto hashed = [&](const std::vector<OpDigests>& writes) {
    return LawReplay::HashedPass{
        .digests = writes, .row_positions = positions, .logit_row_positions = positions};
  };
  LawDigests digests(model_.program, 1);
  const std::vector<OpDigests> both = {write(0, 11), write(1, 22)};
  digests.record(hashed(both));
  const std::vector<OpDigests> last = {write(0, 22)};
  digests.compare(hashed(last));
  EXPECT_FALSE(digests.first_difference().has_value());
  const std::vector<OpDigests> first = {write(0, 11)};
  digests.compare(hashed(first));
  EXPECT_TRUE(digests.first_difference().has_value());
}

}  // namespace
}  // namespace invar

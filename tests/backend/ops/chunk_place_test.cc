// Chunks of a segment's rows, and what their tables may not say.
#include "backend/ops/chunk_place.h"

#include <gtest/gtest.h>

#include "backend/ops/causal_conv.h"
#include "backend/ops/op_storage.h"

namespace invar {
namespace {

// One segment of 70 rows from position 62: three chunks, two of which end.
struct Example {
  Example() {
    std::vector<int32_t> all(70);
    for (int32_t i = 0; i < 70; ++i) {
      all[i] = 62 + i;
    }
    op.positions = storage.indices(all);
    for (int32_t i = 0; i < 4; ++i) {
      pages()[i] = i - 1;
      row_blocks()[i] = 3 - i;
    }
  }
  int32_t* pages() { return op.state_pages.row<int32_t>(0); }
  int32_t* row_blocks() { return op.row_blocks.row<int32_t>(0); }
  std::vector<ChunkPiece> pieces() {
    std::vector<ChunkPiece> found;
    for_each_chunk(op, 0, [&](const ChunkPiece& piece) { found.push_back(piece); });
    return found;
  }

  OpStorage storage;
  CausalConv op{.x = storage.view(DType::kF32, 70, 2),
                .weight = storage.view(DType::kF32, 3, 2),
                .bias = {},
                .positions = {},
                .cu_rows = storage.indices({0, 70}),
                .state_pages = storage.view(DType::kI32, 1, 4),
                .row_blocks = storage.view(DType::kI32, 1, 4),
                .pages = storage.view(DType::kF32, 4, 4),
                .rows = storage.view(DType::kF32, 4, 128),
                .out = storage.view(DType::kF32, 70, 2),
                .attributes = {.taps = 3, .silu = false}};
};

TEST(ChunkPlace, CutsRowsAtMultiplesOf64) {
  const std::vector<ChunkPiece> pieces = Example().pieces();
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].begin, 0);
  EXPECT_EQ(pieces[0].end, 2);
  EXPECT_EQ(pieces[0].place, 62);
  EXPECT_EQ(pieces[0].page, -1);
  EXPECT_EQ(pieces[0].row_block, 3);
  EXPECT_EQ(pieces[0].next_page, 0);
  EXPECT_EQ(pieces[1].end, 66);
  EXPECT_EQ(pieces[1].place, 0);
  EXPECT_EQ(pieces[1].page, 0);
  EXPECT_EQ(pieces[1].next_page, 1);
  EXPECT_EQ(pieces[2].end, 70);
  EXPECT_EQ(pieces[2].next_page, -1);
}

TEST(ChunkPlaceDeathTest, RefusesIndicesOutside) {
  Example page;
  page.pages()[1] = 4;
  EXPECT_DEATH(page.pieces(), "causal_conv: entry .0, 1. is 4 of 4");
  page.pages()[1] = -1;  // only the first chunk has no state before it
  EXPECT_DEATH(page.pieces(), "entry .0, 1. is -1 of 4");
  Example same;
  same.pages()[2] = 0;
  EXPECT_DEATH(same.pieces(), "page 0 is read and written");
  Example row_block;
  row_block.row_blocks()[2] = -1;
  EXPECT_DEATH(row_block.pieces(), "entry .0, 2. is -1 of 4");
  Example narrow;
  narrow.op.state_pages.columns = 2;
  EXPECT_DEATH(narrow.pieces(), "entry .0, 2. of a table .1, 2.");
  Example gap;
  *gap.op.positions.row<int32_t>(69) = 132;
  EXPECT_DEATH(gap.pieces(), "70 rows at positions 62..132");
  Example segment;
  *segment.op.cu_rows.row<int32_t>(1) = 71;
  EXPECT_DEATH(segment.pieces(), "segment 0 has rows 0..71 of 70");
}

TEST(ChunkPlaceDeathTest, ChecksShapes) {
  Example example;
  check_chunk_operands(example.op, 4, 2);
  EXPECT_DEATH(check_chunk_operands(example.op, 5, 2), "operand 'pages': expected f32 .4, 5.");
  EXPECT_DEATH(check_chunk_operands(example.op, 4, 3), "operand 'rows': expected f32 .4, 192.");
  example.op.cu_rows.rows = 0;
  EXPECT_DEATH(check_chunk_operands(example.op, 4, 2), "cu_rows of at least 1 row, found 0");
}

TEST(ChunkPlace, CostCountsPagesAndRows) {
  const Cost c = chunk_cost(Example().op, 4, 2);
  EXPECT_EQ(c.read_bytes, 62 * 2 * 4);  // no page before position 0
  EXPECT_EQ(c.write_bytes, 70 * 2 * 4 + 2 * 4 * 4);
}

}  // namespace
}  // namespace invar

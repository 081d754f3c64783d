// Matrices of heads cut out of one tensor, and refusals.
#include "weights/head_matrices.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "weights/small_gguf.h"

namespace invar {
namespace {

// Two heads of 20 stored rows, 17 columns: element (row, column) is row * 17 + column.
constexpr int64_t kHeads = 2;
constexpr int64_t kHeadRows = 20;
constexpr int64_t kColumns = 17;

HeadMatricesRequest keys() {
  return {.name = "kv",
          .heads = kHeads,
          .head_rows = kHeadRows,
          .first_row = 0,
          .rows = 3,
          .columns = kColumns,
          .transposed = true};
}
HeadMatricesRequest values() {
  return {.name = "kv",
          .heads = kHeads,
          .head_rows = kHeadRows,
          .first_row = 3,
          .rows = 17,
          .columns = kColumns};
}

float element(int64_t row, int64_t column) {
  return static_cast<float>((row * kColumns + column) % 251);
}

TEST(HeadMatrices, AreCutTransposedAndPadded) {
  for (const GgmlType type : {GgmlType::kF32, GgmlType::kBF16}) {
    for (const int lanes : {1, 3}) {
      SmallGguf gguf;
      const std::vector<float> all = counted(kHeads * kHeadRows * kColumns);
      gguf.add("kv", type, {kHeads * kHeadRows, kColumns},
               type == GgmlType::kF32 ? f32_bytes(all) : bf16_bytes(all));
      WeightStore& store = gguf.store();
      const PackedMatrix* cut_keys = store.head_matrices(keys());
      const PackedMatrix* cut_values = store.head_matrices(values());
      EXPECT_EQ(store.head_matrices(keys()), cut_keys);
      ThreadTeam team(lanes);
      store.finish(team, {});
      EXPECT_EQ(cut_keys->rows, kHeads * 32);  // 17 outputs, padded
      EXPECT_EQ(cut_keys->columns, 3);
      const std::vector<float> k = unpacked(*cut_keys);
      const std::vector<float> v = unpacked(*cut_values);
      for (int64_t head = 0; head < kHeads; ++head) {
        for (int64_t output = 0; output < 32; ++output) {
          for (int64_t i = 0; i < 3; ++i) {
            EXPECT_EQ(k[(head * 32 + output) * 3 + i],
                      output < 17 ? element(head * kHeadRows + i, output) : 0.0f)
                << head << " " << output << " " << i;
          }
          for (int64_t i = 0; i < kColumns; ++i) {
            EXPECT_EQ(v[(head * 32 + output) * kColumns + i],
                      output < 17 ? element(head * kHeadRows + 3 + output, i) : 0.0f)
                << head << " " << output << " " << i;
          }
        }
      }
    }
  }
}

TEST(HeadMatrices, ReadNothingForMetadataAlone) {
  SmallGguf gguf;
  gguf.add_f32("kv", {kHeads * kHeadRows, kColumns}, 0);
  WeightStore& store = gguf.store({.metadata_only = true});
  store.head_matrices(keys());
  ThreadTeam team(1);
  store.finish(team, {});
  EXPECT_TRUE(gguf.memory.buffers.empty());
}

TEST(HeadMatrices, RefuseOtherShapesAndTypes) {
  SmallGguf gguf;
  gguf.add_f32("kv", {kHeads * kHeadRows, 16}, 0);
  gguf.add("q", GgmlType::kQ8_0, {kHeads * kHeadRows, 32}, std::string(40 * 34, '\0'));
  WeightStore& store = gguf.store();
  store.head_matrices(keys());
  HeadMatricesRequest quantized = keys();
  quantized.name = "q";
  quantized.columns = 32;
  expect_error([&] { store.head_matrices(quantized); }, Code::kUnsupported,
               "m.gguf: tensor 'q': type: expected F32, F16 or BF16, found Q8_0");
  ThreadTeam team(1);
  expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
               "m.gguf: tensor 'kv': expected [40, 17], found [40, 16]");
}

}  // namespace
}  // namespace invar

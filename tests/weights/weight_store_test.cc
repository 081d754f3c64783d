// Packing, joining and reordering of tensors, and the text of every refusal.
#include "weights/weight_store.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/math.h"
#include "formats/expect_error.h"
#include "weights/small_gguf.h"

namespace invar {
namespace {

TEST(WeightStore, PacksMatricesAndVectors) {
  SmallGguf gguf;
  gguf.add_f32("matrix", {20, 8}, 1);
  gguf.add("half", GgmlType::kF16, {3}, f16_bytes({1.5f, -2, 3}));
  gguf.add("brain", GgmlType::kBF16, {2}, bf16_bytes({0.5f, -4}));
  gguf.add_f32("vector", {2}, 7);
  WeightStore& store = gguf.store();
  const PackedMatrix* matrix = store.matrix({.name = "matrix", .rows = 20, .order = {}}, 8);
  EXPECT_EQ(values_of(store.vector({.name = "half", .rows = 3, .order = {}})),
            (std::vector<float>{1.5f, -2, 3}));
  const TensorRequest both[] = {{.name = "brain", .rows = 2, .order = {}},
                                {.name = "vector", .rows = 2, .order = {}}};
  EXPECT_EQ(values_of(store.vector(both)), (std::vector<float>{0.5f, -4, 7, 8}));
  EXPECT_EQ(matrix->rows, 20);
  EXPECT_EQ(matrix->columns, 8);

  ThreadTeam team(3);
  std::vector<int64_t> done;
  store.finish(team, [&](int64_t done_bytes, int64_t total_bytes) {
    EXPECT_EQ(total_bytes, 20 * 8 * 4);
    done.push_back(done_bytes);
  });
  EXPECT_THAT(done, testing::ElementsAre(20 * 8 * 4));
  EXPECT_EQ(matrix->format, WeightFormat::kF32);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix->data) % 64, 0u);
  EXPECT_EQ(unpacked(*matrix), counted(160, 1));
  EXPECT_EQ(store.weight_bytes(), packed_bytes(WeightFormat::kF32, 20, 8) + (3 + 4) * 4);
}

TEST(WeightStore, TheSameNamesGiveTheSameMemory) {
  SmallGguf gguf;
  gguf.add_f32("m", {16, 8}, 1);
  gguf.add_f32("v", {4}, 1);
  WeightStore& store = gguf.store();
  const TensorRequest matrix{.name = "m", .rows = 16, .order = {}};
  const TensorRequest vector{.name = "v", .rows = 4, .order = {}};
  EXPECT_EQ(store.matrix(matrix, 8), store.matrix(matrix, 8));
  EXPECT_EQ(store.vector(vector).data, store.vector(vector).data);
  EXPECT_EQ(gguf.memory.matrices.size(), 1u);
}

TEST(WeightStore, JoinedRowsEqualSeparateOnes) {
  // Parts that begin and end inside panels of 16 rows.
  for (const int lanes : {1, 2, 5}) {
    SmallGguf gguf;
    gguf.add_f32("q", {24, 8}, 1);
    gguf.add_f32("k", {7, 8}, 50);
    gguf.add_f32("v", {37, 8}, 90);
    WeightStore& store = gguf.store();
    const TensorRequest parts[] = {{.name = "q", .rows = 24, .order = {}},
                                   {.name = "k", .rows = 7, .order = {}},
                                   {.name = "v", .rows = 37, .order = {}}};
    const PackedMatrix* together = store.matrix(parts, 8);
    std::vector<const PackedMatrix*> separate;
    for (const TensorRequest& part : parts) {
      separate.push_back(store.matrix(part, 8));
    }
    ThreadTeam team(lanes);
    store.finish(team, {});
    EXPECT_EQ(together->rows, 68);
    EXPECT_EQ(unpacked(*together), joined(joined(unpacked(*separate[0]), unpacked(*separate[1])),
                                          unpacked(*separate[2])))
        << lanes;
    EXPECT_EQ(unpacked(*separate[1]), counted(56, 50));
  }
}

TEST(WeightStore, RotaryPairsArePutBack) {
  // Two heads of 8 rows, stored as pairs (0, 4), (1, 5), ...: row 2 i + j is half j's row i.
  const auto stored = [](int64_t head, int64_t half, int64_t i) {
    return static_cast<float>(100 * head + 10 * half + i);
  };
  std::vector<float> file;
  std::vector<float> expected;
  for (int64_t head = 0; head < 2; ++head) {
    for (int64_t i = 0; i < 4; ++i) {
      file.push_back(stored(head, 0, i));
      file.push_back(stored(head, 1, i));
    }
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t i = 0; i < 4; ++i) {
        expected.push_back(stored(head, half, i));
      }
    }
  }
  SmallGguf gguf;
  gguf.add("m", GgmlType::kF32, {16, 1}, f32_bytes(file));
  gguf.add("b", GgmlType::kF32, {16}, f32_bytes(file));
  WeightStore& store = gguf.store();
  const RowOrder order = paired_heads(8);
  const PackedMatrix* matrix = store.matrix({.name = "m", .rows = 16, .order = order}, 1);
  EXPECT_EQ(values_of(store.vector({.name = "b", .rows = 16, .order = order})), expected);
  ThreadTeam team(1);
  store.finish(team, {});
  EXPECT_EQ(unpacked(*matrix), expected);
}

TEST(WeightStore, QuantizedRowsAreReorderedWhole) {
  // Q8_0: rows of one group; a row's scale goes with it.
  std::string data;
  for (int row = 0; row < 16; ++row) {
    data += f16_bytes({static_cast<float>(row + 1)}) + std::string(32, '\1');
  }
  SmallGguf gguf;
  gguf.add("m", GgmlType::kQ8_0, {16, 32}, data);
  WeightStore& store = gguf.store();
  const PackedMatrix* matrix =
      store.matrix({.name = "m", .rows = 16, .order = paired_heads(16)}, 32);
  ThreadTeam team(2);
  store.finish(team, {});
  EXPECT_EQ(matrix->format, WeightFormat::kQ8_0);
  for (int64_t row = 0; row < 16; ++row) {
    const int64_t from = 2 * (row % 8) + row / 8;
    EXPECT_EQ(unpacked(*matrix)[row * 32], static_cast<float>(from + 1)) << row;
  }
}

TEST(WeightStore, MetadataAloneReadsNoMatrix) {
  SmallGguf gguf;
  gguf.add_f32("m", {20, 8}, 1);
  WeightStore& store = gguf.store({.metadata_only = true});
  const PackedMatrix* matrix = store.matrix({.name = "m", .rows = 20, .order = {}}, 8);
  ThreadTeam team(1);
  store.finish(team, [](int64_t, int64_t) { ADD_FAILURE() << "nothing to report"; });
  EXPECT_EQ(matrix->rows, 20);
  EXPECT_EQ(store.weight_bytes(), packed_bytes(WeightFormat::kF32, 20, 8));
  EXPECT_TRUE(gguf.memory.buffers.empty());
}

TEST(WeightStore, AnswersQuestions) {
  SmallGguf gguf;
  gguf.add_f32("a", {5, 8}, 1);
  gguf.add_f32("b", {2}, 1);
  gguf.add("c", GgmlType::kF16, {1}, f16_bytes({1}));
  WeightStore& store = gguf.store();
  EXPECT_TRUE(store.has("a"));
  EXPECT_FALSE(store.has("d"));
  EXPECT_EQ(store.stored_rows("a"), 5);
  EXPECT_EQ(store.stored_rows("d"), 0);
  EXPECT_TRUE(store.same_type("a", "b"));
  EXPECT_FALSE(store.same_type("a", "c"));
  EXPECT_FALSE(store.same_type("a", "d"));
}

TEST(WeightStore, TakesTheLogarithmOfMinusExp) {
  SmallGguf gguf;
  gguf.add("a", GgmlType::kF32, {2}, f32_bytes({-1.0f, -0.0625f}));
  gguf.add("zero", GgmlType::kF32, {2}, f32_bytes({-1.0f, 0.0f}));
  gguf.add("far", GgmlType::kF32, {1}, f32_bytes({-INFINITY}));
  WeightStore& store = gguf.store();
  EXPECT_EQ(values_of(store.vector({.name = "a", .rows = 2, .minus_exp = true})),
            (std::vector<float>{0.0f, log_f32(0.0625f)}));
  expect_error([&] { store.vector({.name = "zero", .rows = 2, .minus_exp = true}); },
               Code::kBadFile,
               "m.gguf: tensor 'zero': element 1: expected a finite number below 0, found 0");
  expect_error([&] { store.vector({.name = "far", .rows = 1, .minus_exp = true}); }, Code::kBadFile,
               "m.gguf: tensor 'far': element 0: expected a finite number below 0, found -inf");
}

TEST(WeightStore, NamesEveryProblemAtOnce) {
  SmallGguf gguf;
  gguf.add_f32("good", {4, 8}, 1);
  gguf.add_f32("narrow", {4, 4}, 1);
  gguf.add_f32("short", {3}, 1);
  gguf.add_f32("flat", {32}, 1);
  gguf.add_f32("extra", {2, 2}, 1);
  gguf.add_f32("known", {2}, 1);
  gguf.add_f32("other.a", {2}, 1);
  gguf.add_f32("other.b", {2}, 1);
  WeightStore& store = gguf.store();
  const auto matrix = [&](const std::string& name) {
    store.matrix({.name = name, .rows = 4, .order = {}}, 8);
  };
  matrix("good");
  matrix("narrow");
  matrix("flat");
  matrix("gone");
  store.vector({.name = "short", .rows = 4, .order = {}});
  store.vector({.name = "lost", .rows = 4, .order = {}});
  store.ignore("known");
  EXPECT_EQ(store.ignore_all("other."), 2);
  EXPECT_EQ(store.ignore_all("others."), 0);
  ThreadTeam team(1);
  expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
               "m.gguf: tensor 'narrow': expected [4, 8], found [4, 4]; "
               "tensor 'flat': expected [4, 8], found [32]; "
               "tensor 'gone': expected [4, 8], found nothing; "
               "tensor 'short': expected [4], found [3]; "
               "tensor 'lost': expected [4], found nothing; "
               "tensor 'extra' [2, 2]: not used by this family");
}

TEST(WeightStore, NamesEveryTensorHoweverMany) {
  SmallGguf gguf;
  WeightStore& store = gguf.store();
  for (int i = 0; i < 4096; ++i) {
    store.vector({.name = "v" + std::to_string(i), .rows = 4});
  }
  ThreadTeam team(1);
  std::string expected = "m.gguf: ";
  for (int i = 0; i < 4096; ++i) {
    expected += fmt::format("tensor 'v{}': expected [4], found nothing; ", i);
  }
  for (int layer = 3; layer <= 17; ++layer) {
    for (int expert = 0; expert < 128; ++expert) {
      store.vector({.name = fmt::format("layers.{}.experts.{}.up", layer, expert), .rows = 4});
    }
  }
  store.vector({.name = "layers.3.experts.200.up", .rows = 5});
  expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
               expected +
                   "tensor 'layers.{3..17}.experts.{0..127}.up': expected [4], found "
                   "nothing; tensor 'layers.3.experts.200.up': expected [5], found nothing");
}

TEST(WeightStore, AsksForMemoryOnlyForWhatTheFileHolds) {
  SmallGguf gguf;
  gguf.add_f32("v", {4}, 1);
  gguf.add_f32("c", {4, 2}, 1);
  WeightStore& store = gguf.store();
  constexpr int64_t kHuge = int64_t{1} << 50;
  EXPECT_EQ(store.vector({.name = "v", .rows = kHuge}).columns, kHuge);
  EXPECT_EQ(store.vector({.name = "gone", .rows = kHuge}).columns, kHuge);
  const TensorRequest convolution{.name = "c", .rows = kHuge};
  EXPECT_EQ(store.convolution({&convolution, 1}, 2).columns, kHuge);
  ThreadTeam team(1);
  expect_error(
      [&] { store.finish(team, {}); }, Code::kBadFile,
      "m.gguf: tensor 'v': expected [1125899906842624], found [4]; tensor 'gone': expected "
      "[1125899906842624], found nothing; tensor 'c': expected [1125899906842624, 2], "
      "found [4, 2]");
}

TEST(WeightStore, RefusesTypesByName) {
  // At once: a checkpoint of such a type has hundreds of them.
  SmallGguf gguf;
  gguf.add("m", GgmlType::kI32, {1, 8}, std::string(32, '\0'));
  gguf.add("v", GgmlType::kQ8_0, {32}, std::string(34, '\0'));
  WeightStore& store = gguf.store();
  std::vector<std::string_view> known;
  for (const WeightFormatInfo& format : weight_formats()) {
    known.push_back(format.name);
  }
  expect_error([&] { store.matrix({.name = "m", .rows = 1, .order = {}}, 8); }, Code::kUnsupported,
               fmt::format("m.gguf: tensor 'm': type: expected one of {}, found I32",
                           fmt::join(known, ", ")));
  expect_error([&] { store.vector({.name = "v", .rows = 32, .order = {}}); }, Code::kUnsupported,
               "m.gguf: tensor 'v': type: expected F32, F16 or BF16, found Q8_0");
}

TEST(WeightStore, ZeroRowsFollowATensorsRows) {
  SmallGguf gguf;
  gguf.add_f32("a", {5, 8}, 1);
  gguf.add_f32("b", {3, 8}, 60);
  WeightStore& store = gguf.store();
  TensorRequest parts[] = {{.name = "a", .rows = 5, .order = {}},
                           {.name = "b", .rows = 3, .order = {}}};
  parts[0].zero_rows = 11;
  parts[1].zero_rows = 2;
  const PackedMatrix* matrix = store.matrix(parts, 8);
  ThreadTeam team(2);
  store.finish(team, {});
  EXPECT_EQ(matrix->rows, 21);
  const std::vector<float> expected = joined(joined(counted(40, 1), std::vector<float>(11 * 8)),
                                             joined(counted(24, 60), std::vector<float>(2 * 8)));
  EXPECT_EQ(unpacked(*matrix), expected);
}

TEST(WeightStore, FlatVectorsLoseAxesOfOneAndZerosBehind) {
  SmallGguf gguf;
  gguf.add_f32("axes", {1, 1, 3, 1}, 4);
  gguf.add("behind", GgmlType::kBF16, {5}, bf16_bytes({1, 2, 3, 0, 0}));
  gguf.add("other", GgmlType::kF32, {5}, f32_bytes({1, 2, 3, 0, 7}));
  gguf.add_f32("square", {2, 2}, 0);
  gguf.add_f32("short", {2}, 0);
  WeightStore& store = gguf.store();
  EXPECT_EQ(values_of(store.flat_vector("axes", 3)), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(values_of(store.flat_vector("behind", 3)), (std::vector<float>{1, 2, 3}));
  store.flat_vector("other", 3);
  store.flat_vector("square", 4);
  store.flat_vector("short", 3);
  // No memory for what is not there.
  EXPECT_EQ(store.flat_vector("gone", int64_t{1} << 50).columns, int64_t{1} << 50);
  ThreadTeam team(1);
  expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
               "m.gguf: tensor 'other': element 4: expected 0 behind 3 values, found 7; "
               "tensor 'square': expected [4], found [2, 2]; "
               "tensor 'short': expected [3], found [2]; "
               "tensor 'gone': expected [1125899906842624], found nothing");
}

TEST(WeightStore, PartsOfOneMatrixHaveOneType) {
  SmallGguf gguf;
  gguf.add_f32("a", {4, 8}, 1);
  gguf.add("b", GgmlType::kF16, {4, 8}, f16_bytes(counted(32)));
  WeightStore& store = gguf.store();
  const TensorRequest parts[] = {{.name = "a", .rows = 4, .order = {}},
                                 {.name = "b", .rows = 4, .order = {}}};
  expect_error([&] { store.matrix(parts, 8); }, Code::kUnsupported,
               "m.gguf: tensor 'b': type: expected F32 as 'a' has, found F16");
}

// One of `slices` matrices of a tensor.
TensorRequest slice(const std::string& name, int64_t rows, int64_t slices, int64_t index) {
  TensorRequest request{.name = name, .rows = rows};
  request.slices = slices;
  request.slice = index;
  return request;
}

TEST(WeightStore, SlicesOfATensorAreRowsOfTheirOwn) {
  SmallGguf gguf;
  gguf.add_f32("gate", {2, 16, 4}, 1);
  gguf.add_f32("up", {2, 16, 4}, 100);
  WeightStore& store = gguf.store();
  const TensorRequest parts[] = {slice("gate", 16, 2, 0), slice("up", 16, 2, 0),
                                 slice("gate", 16, 2, 1), slice("up", 16, 2, 1)};
  const PackedMatrix* matrix = store.matrix(parts, 4);
  const PackedMatrix* second = store.matrix(parts[2], 4);
  EXPECT_NE(second, store.matrix(parts[0], 4));
  ThreadTeam team(2);
  int64_t total = 0;
  int64_t done = 0;
  store.finish(team, [&](int64_t done_bytes, int64_t total_bytes) {
    done = done_bytes;
    total = total_bytes;
  });
  EXPECT_EQ(unpacked(*matrix), joined(joined(counted(64, 1), counted(64, 100)),
                                      joined(counted(64, 65), counted(64, 164))));
  EXPECT_EQ(unpacked(*second), counted(64, 65));
  EXPECT_EQ(total, (4 + 2) * 64 * 4);  // the matrix of four slices, and two alone
  EXPECT_EQ(done, total);
}

TEST(WeightStore, AMatrixOfOneRowMayBeStoredAsAVector) {
  SmallGguf gguf;
  gguf.add_f32("flat", {8}, 3);
  gguf.add_f32("row", {1, 8}, 3);
  WeightStore& store = gguf.store();
  const PackedMatrix* flat = store.matrix({.name = "flat", .rows = 1}, 8);
  const PackedMatrix* row = store.matrix({.name = "row", .rows = 1}, 8);
  ThreadTeam team(1);
  store.finish(team, {});
  EXPECT_EQ(unpacked(*flat), counted(8, 3));
  EXPECT_EQ(unpacked(*row), counted(8, 3));
}

TEST(WeightStore, ATensorOfSlicesIsRefusedOnce) {
  SmallGguf gguf;
  gguf.add_f32("narrow", {3, 16, 2}, 1);
  WeightStore& store = gguf.store();
  for (const std::string name : {"narrow", "gone"}) {
    const TensorRequest parts[] = {slice(name, 16, 3, 0), slice(name, 16, 3, 1),
                                   slice(name, 16, 3, 2)};
    store.matrix(parts, 4);
  }
  ThreadTeam team(1);
  expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
               "m.gguf: tensor 'narrow': expected [3, 16, 4], found [3, 16, 2]; "
               "tensor 'gone': expected [3, 16, 4], found nothing");
}

}  // namespace
}  // namespace invar

// MXFP4 as safetensors files store it, nibbles and scales in two tensors: one tensor to whoever
// asks.
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "formats/temporary_directory.h"
#include "weights/small_gguf.h"

namespace invar {
namespace {

// Two rows of 64 columns: nibbles 0, 1, 2, ... of neighbouring columns in a byte, row 1 shifted.
std::string nibbles() {
  std::string bytes;
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 32; ++i) {
      bytes += static_cast<char>((2 * i + row) % 16 | (2 * i + 1 + row) % 16 << 4);
    }
  }
  return bytes;
}

std::vector<float> values(const std::vector<float>& scales) {
  constexpr float kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};
  std::vector<float> all;
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 64; ++column) {
      all.push_back(kValues[(column + row) % 16] * scales[row * 2 + column / 32]);
    }
  }
  return all;
}

class Mxfp4Pair : public testing::Test {
 protected:
  void write(const std::vector<SafetensorsSpec>& tensors) {
    write_safetensors(directory_.path(), tensors);
  }
  std::string file() const { return (directory_.path() / "model.safetensors").string(); }

  TemporaryDirectory directory_;
};

TEST_F(Mxfp4Pair, IsOneTensorOfItsValues) {
  write({{"w.weight_packed", "U8", {2, 32}, nibbles()},
         {"w.weight_scale", "U8", {2, 2}, std::string("\x7f\x80\x7e\x00", 4)},
         {"a", "F32", {1}, f32_bytes({1})}});
  const Checkpoint checkpoint = Checkpoint::open(directory_.path());
  const TensorSource source(checkpoint);
  ASSERT_EQ(source.tensors().size(), 2u);
  const SourceTensor* tensor = source.find("w.weight");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->type, GgmlType::kMXFP4);
  EXPECT_EQ(tensor->type_name, "MXFP4");
  EXPECT_EQ(tensor->shape, (std::vector<int64_t>{2, 64}));
  WeightMemory memory;
  WeightStore store(source, memory, {});
  const PackedMatrix* matrix = store.matrix({.name = "w.weight", .rows = 2}, 64);
  store.ignore("a");
  ThreadTeam team(2);
  store.finish(team, {});
  EXPECT_EQ(matrix->format, WeightFormat::kMXFP4);
  EXPECT_EQ(unpacked(*matrix), values({1, 2, 0.5, 0x1p-127f}));
}

TEST_F(Mxfp4Pair, HalvesAloneStayTheTensorsThatTheyAre) {
  write({{"a_packed", "U8", {2, 32}, nibbles()},
         {"b_scale", "U8", {1}, "x"},
         {"c", "F32", {1}, f32_bytes({1})},
         {"c_packed", "U8", {2, 32}, nibbles()},
         {"c_scale", "U8", {2, 2}, "xxxx"}});
  const Checkpoint checkpoint = Checkpoint::open(directory_.path());
  const TensorSource source(checkpoint);
  EXPECT_EQ(source.tensors().size(), 5u);
  EXPECT_EQ(source.find("a"), nullptr);
}

// Published files hold the scales as U8; another type may mean another scheme.
TEST_F(Mxfp4Pair, ScalesOfAnotherTypeAreRefused) {
  write({{"w_packed", "U8", {2, 32}, nibbles()}, {"w_scale", "F8_E8M0", {2, 2}, "xxxx"}});
  const Checkpoint checkpoint = Checkpoint::open(directory_.path());
  expect_error([&] { TensorSource source(checkpoint); }, Code::kUnsupported,
               file() +
                   ": tensor 'w_scale': type: expected U8 (E8M0 scales of 'w_packed'), found "
                   "F8_E8M0");
}

TEST_F(Mxfp4Pair, ShapesMustGoTogether) {
  write({{"w_packed", "U8", {2, 32}, nibbles()}, {"w_scale", "U8", {2, 1}, "xx"}});
  const Checkpoint checkpoint = Checkpoint::open(directory_.path());
  expect_error([&] { TensorSource source(checkpoint); }, Code::kBadFile,
               file() + ": tensor 'w_scale': expected [2, 2], found [2, 1]");
}

TEST_F(Mxfp4Pair, ColumnsMustBeWholeGroups) {
  write({{"w_packed", "U8", {1, 24}, std::string(24, 'x')}, {"w_scale", "U8", {1, 1}, "x"}});
  const Checkpoint checkpoint = Checkpoint::open(directory_.path());
  expect_error([&] { TensorSource source(checkpoint); }, Code::kBadFile,
               file() + ": tensor 'w_packed': expected [rows, a multiple of 16], found [1, 24]");
}

TEST_F(Mxfp4Pair, ANanScaleIsRefused) {
  write({{"w_packed", "U8", {2, 32}, nibbles()}, {"w_scale", "U8", {2, 2}, "\x7f\x7f\xff\x7f"}});
  const Checkpoint checkpoint = Checkpoint::open(directory_.path());
  const TensorSource source(checkpoint);
  WeightMemory memory;
  WeightStore store(source, memory, {});
  store.matrix({.name = "w", .rows = 2}, 64);
  ThreadTeam team(1);
  expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
               file() + ": tensor 'w': scale of group 2: expected at most 254, found 255 (NaN)");
}

TEST(Mxfp4, AGgufFileStoresScaleAndNibblesTogether) {
  const std::string group = std::string(1, '\x80') + std::string(16, '\x31');
  for (const bool nan : {false, true}) {
    SmallGguf gguf;
    gguf.add("w", GgmlType::kMXFP4, {1, 64}, group + (nan ? "\xff" + group.substr(1) : group));
    WeightStore& store = gguf.store();
    const PackedMatrix* matrix = store.matrix({.name = "w", .rows = 1}, 64);
    ThreadTeam team(1);
    if (nan) {
      expect_error([&] { store.finish(team, {}); }, Code::kBadFile,
                   "m.gguf: tensor 'w': scale of group 1: expected at most 254, found 255 (NaN)");
      continue;
    }
    store.finish(team, {});
    const std::vector<float> found = unpacked(*matrix);
    for (int column = 0; column < 64; ++column) {
      EXPECT_EQ(found[column], column % 32 < 16 ? 1.0f : 3.0f) << column;
    }
  }
}

}  // namespace
}  // namespace invar

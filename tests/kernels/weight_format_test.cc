// The table of weight formats, and packing and unpacking of every format: against values from an
// independent implementation, and against the published layouts, written once more below.
#include "kernels/weight_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/known_rows.h"
#include "kernels/panel/mxfp4.h"
#include "kernels/weight_rows.h"

namespace invar {
namespace {

// --- The formats, column by column, from a group of the file. ---

int byte_at(const std::byte* group, int64_t offset) {
  return std::to_integer<int>(group[offset]);
}
double half_at(const std::byte* group, int64_t offset) {
  return f16_to_f32(
      static_cast<uint16_t>(byte_at(group, offset) | byte_at(group, offset + 1) << 8));
}
int nibble_at(const std::byte* group, int64_t offset, bool high) {
  return byte_at(group, offset) >> (high ? 4 : 0) & 15;
}

int bit_at(const std::byte* group, int64_t offset, int64_t index) {
  return byte_at(group, offset + index / 8) >> (index % 8) & 1;
}

// (d * scale) * q - dmin * minimum, for the column's part.
double k_value(const std::byte* group, int64_t part, int q) {
  const std::byte* scales = group + 4;
  int scale;
  int min;
  if (part < 4) {
    scale = byte_at(scales, part) % 64;
    min = byte_at(scales, part + 4) % 64;
  } else {
    scale = byte_at(scales, part + 4) % 16 + byte_at(scales, part - 4) / 64 * 16;
    min = byte_at(scales, part + 4) / 16 + byte_at(scales, part) / 64 * 16;
  }
  return half_at(group, 0) * scale * q - half_at(group, 2) * min;
}

double q4_k_value(const std::byte* group, int64_t column) {
  const int64_t part = column / 32;
  return k_value(group, part, nibble_at(group, 16 + part / 2 * 32 + column % 32, part % 2 == 1));
}

double q5_k_value(const std::byte* group, int64_t column) {
  const int64_t part = column / 32;
  const int low = nibble_at(group, 48 + part / 2 * 32 + column % 32, part % 2 == 1);
  const int top = bit_at(group, 16 + column % 32, part);
  return k_value(group, part, low + 16 * top);
}

double q6_k_value(const std::byte* group, int64_t column) {
  const int64_t half = column / 128;
  const int64_t quarter = column % 128 / 32;
  const int64_t i = column % 32;
  const int low = nibble_at(group, 64 * half + 32 * (quarter % 2) + i, quarter >= 2);
  const int high = byte_at(group, 128 + 32 * half + i) >> (2 * quarter) & 3;
  const auto scale = static_cast<int8_t>(byte_at(group, 192 + column / 16));
  return half_at(group, 208) * scale * (low + 16 * high - 32);
}

// A scale of 255 is refused by loaders; in a kernel it is an infinite factor.
double mxfp4_value(int e, int nibble) {
  constexpr double kSizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const double scale =
      e == 255 ? std::numeric_limits<double>::infinity() : std::ldexp(1.0, e - 127);
  return (nibble >= 8 ? -1.0 : 1.0) * kSizes[nibble % 8] * scale;
}

double group_value(WeightFormat format, const std::byte* group, int64_t column) {
  float f32;
  switch (format) {
    case WeightFormat::kF32:
      std::memcpy(&f32, group, sizeof f32);
      return f32;
    case WeightFormat::kF16:
      return half_at(group, 0);
    case WeightFormat::kBF16:
      return bf16_to_f32(static_cast<uint16_t>(byte_at(group, 0) | byte_at(group, 1) << 8));
    case WeightFormat::kQ4_0:
      return half_at(group, 0) * (nibble_at(group, 2 + column % 16, column >= 16) - 8);
    case WeightFormat::kQ4_1:
      return half_at(group, 0) * nibble_at(group, 4 + column % 16, column >= 16) +
             half_at(group, 2);
    case WeightFormat::kQ5_0:
      return half_at(group, 0) *
             (nibble_at(group, 6 + column % 16, column >= 16) + 16 * bit_at(group, 2, column) - 16);
    case WeightFormat::kQ5_1:
      return half_at(group, 0) *
                 (nibble_at(group, 8 + column % 16, column >= 16) + 16 * bit_at(group, 4, column)) +
             half_at(group, 2);
    case WeightFormat::kQ8_0:
      return half_at(group, 0) * static_cast<int8_t>(byte_at(group, 2 + column));
    case WeightFormat::kQ4_K:
      return q4_k_value(group, column);
    case WeightFormat::kQ5_K:
      return q5_k_value(group, column);
    case WeightFormat::kQ6_K:
      return q6_k_value(group, column);
    case WeightFormat::kMXFP4:
      return mxfp4_value(byte_at(group, 0), nibble_at(group, 1 + column % 16, column >= 16));
  }
  return 0;
}

// Every product is exact in f32 and in double, so that one rounding is left in both.
float value_of(const WeightRows& weights, int64_t row, int64_t column) {
  const WeightFormatInfo& info = weights.info();
  const std::byte* group = weights.row(row) + column / info.group_columns * info.group_bytes;
  return static_cast<float>(group_value(weights.format, group, column % info.group_columns));
}

std::vector<float> unpacked(const PackedMatrix& matrix, int64_t row) {
  std::vector<float> values(static_cast<size_t>(matrix.columns), -1.0f);
  weight_format_info(matrix.format).unpack_row(matrix, row, values.data());
  return values;
}

bool same(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::vector<int64_t> edge_columns(const WeightFormatInfo& info) {
  if (info.group_columns == 1) {
    return {1, 2, 15, 16, 17, 31, 32, 33, 70};
  }
  return {info.group_columns, 2 * info.group_columns, 3 * info.group_columns};
}

// --- Tests. ---

TEST(WeightFormat, TableIsInTheOrderOfTheEnumeration) {
  ASSERT_EQ(weight_formats().size(), static_cast<size_t>(kWeightFormatCount));
  std::set<std::string_view> names;
  for (size_t i = 0; i < weight_formats().size(); ++i) {
    const WeightFormatInfo& info = weight_formats()[i];
    EXPECT_EQ(static_cast<size_t>(info.format), i);
    EXPECT_EQ(&weight_format_info(info.format), &info);
    EXPECT_EQ(find_weight_format(info.ggml_type), &info);
    names.insert(info.name);
  }
  EXPECT_EQ(names.size(), weight_formats().size());
}

TEST(WeightFormat, UnknownTypesAreNotFound) {
  EXPECT_EQ(find_weight_format(10), nullptr);  // Q2_K
  EXPECT_EQ(find_weight_format(0xffffffffu), nullptr);
}

TEST(WeightFormat, PackedFormIsHardlyLargerThanTheFile) {
  for (const WeightFormatInfo& info : weight_formats()) {
    const int64_t columns = 3 * info.group_columns;
    const int64_t file = 32 * 3 * info.group_bytes;
    EXPECT_LE(packed_bytes(info.format, 32, columns), file * 1.03) << info.name;
    EXPECT_GE(packed_bytes(info.format, 32, columns), file) << info.name;
    EXPECT_EQ(packed_bytes(info.format, 17, columns), packed_bytes(info.format, 32, columns));
    EXPECT_EQ(packed_bytes(info.format, 0, columns), 0);
  }
}

TEST(WeightFormatDeathTest, RefusesPartsOfAGroup) {
  EXPECT_DEATH(static_cast<void>(panel_bytes(WeightFormat::kQ4_K, 128)), "Q4_K: columns 128");
  EXPECT_DEATH(static_cast<void>(weight_format_info(static_cast<WeightFormat>(200))), "format 200");
}

TEST(WeightFormat, KnownRowsUnpackToTheirValues) {
  ASSERT_EQ(known_rows().size(), weight_formats().size());
  for (const KnownRow& known : known_rows()) {
    const auto* bytes = reinterpret_cast<const std::byte*>(known.bytes.data());
    const WeightRows weights{.format = known.format,
                             .rows = 1,
                             .columns = static_cast<int64_t>(known.values.size()),
                             .bytes = {bytes, bytes + known.bytes.size()}};
    ASSERT_EQ(weights.row_size(), static_cast<int64_t>(known.bytes.size()));
    const PackedWeights packed(weights);
    const std::vector<float> found = unpacked(packed.matrix(), 0);
    for (size_t column = 0; column < found.size(); ++column) {
      ASSERT_EQ(found[column], known.values[column])
          << weights.info().name << ", column " << column;
    }
  }
}

// Rows of whole and partial panels, with any bits: huge, infinite and NaN scales among them.
TEST(WeightFormat, EveryRowUnpacksToTheFilesValues) {
  for (const WeightFormatInfo& info : weight_formats()) {
    for (int64_t columns : edge_columns(info)) {
      for (int64_t rows : {1, 15, 16, 17, 37}) {
        const WeightRows weights =
            drawn_weight_rows(info.format, rows, columns, static_cast<unsigned>(rows + columns));
        const PackedWeights packed(weights);
        for (int64_t row = 0; row < rows; ++row) {
          const std::vector<float> found = unpacked(packed.matrix(), row);
          for (int64_t column = 0; column < columns; ++column) {
            ASSERT_TRUE(same(found[column], value_of(weights, row, column)))
                << info.name << " row " << row << " of " << rows << ", column " << column << " of "
                << columns << ": expected " << value_of(weights, row, column) << ", found "
                << found[column];
          }
        }
      }
    }
  }
}

TEST(WeightFormat, AbsentRowsAreZero) {
  for (const WeightFormatInfo& info : weight_formats()) {
    const int64_t columns = info.group_columns * 2;
    const WeightRows weights = plain_weight_rows(info.format, 1, columns, 5);
    const PackedWeights packed(weights);
    PackedMatrix whole = packed.matrix();
    whole.rows = kPanelRows;
    for (int64_t row = 1; row < kPanelRows; ++row) {
      for (float value : unpacked(whole, row)) {
        ASSERT_EQ(value, 0.0f) << info.name << " row " << row;
      }
    }
  }
}

// Nibbles of neighbouring columns in a byte, with the scale apart, give the same values.
TEST(WeightFormat, Mxfp4GroupsAreJoinedFromPackedNibbles) {
  const WeightRows drawn = drawn_weight_rows(WeightFormat::kMXFP4, 1, 32, 4);
  const std::byte* nibbles = drawn.row(0);  // 16 bytes, then any scale below 255
  WeightRows joined = drawn;
  panel::join_mxfp4_group(nibbles, std::byte{100}, joined.bytes.data());
  EXPECT_EQ(joined.bytes[0], std::byte{100});
  for (int64_t column = 0; column < 32; ++column) {
    const int nibble = nibble_at(nibbles, column / 2, column % 2 == 1);
    EXPECT_EQ(value_of(joined, 0, column), static_cast<float>(mxfp4_value(100, nibble))) << column;
  }
}

TEST(WeightFormat, PackingWritesOnePanelAndNoMore) {
  for (const WeightFormatInfo& info : weight_formats()) {
    const int64_t columns = info.group_columns * 3;
    const WeightRows weights = drawn_weight_rows(info.format, kPanelRows, columns, 7);
    std::array<const std::byte*, kPanelRows> rows{};
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      rows[lane] = weights.row(lane);
    }
    const auto size = static_cast<size_t>(panel_bytes(info.format, columns));
    for (const std::byte fill : {std::byte{0x00}, std::byte{0xff}}) {
      std::vector<std::byte> panel(size + 64, fill);
      info.pack_panel(rows, columns, panel.data());
      for (size_t i = size; i < panel.size(); ++i) {
        ASSERT_EQ(panel[i], fill) << info.name << " byte " << i;
      }
      // Every byte of the panel is written: none still depends on the fill.
      std::vector<std::byte> other(size + 64, ~fill);
      info.pack_panel(rows, columns, other.data());
      ASSERT_TRUE(
          std::equal(panel.begin(), panel.begin() + static_cast<int64_t>(size), other.begin()))
          << info.name;
    }
  }
}

}  // namespace
}  // namespace invar

// What the cases of linear (cases/linear.h) leave out: the instruction sets agree bit for bit on
// any bits of weights and activations, however rows and panels are cut, and integer sums are exact
// at the ends of every range.
#include <gtest/gtest.h>

#include "backend/ops/linear.h"
#include "backend/registry.h"
#include "kernels/weight_rows.h"

namespace invar::conformance {
namespace {

// Rows of activations that outlive the views of them.
struct Activations {
  DType dtype;
  int64_t rows;
  int64_t columns;
  std::vector<float> storage;  // aligned for every dtype

  Activations(DType type, int64_t row_count, int64_t column_count)
      : dtype(type),
        rows(row_count),
        columns(column_count),
        storage(static_cast<size_t>((row_bytes(type, column_count) * row_count + 3) / 4)) {}

  TensorView view() { return dense_view(storage.data(), dtype, rows, columns); }
  TensorView some(int64_t begin, int64_t end) {
    TensorView part = view();
    part.data = part.row<std::byte>(begin);
    part.rows = end - begin;
    return part;
  }
};

// All bits drawn: NaN and infinite scales, -128, sums that are not those of the values.
Activations drawn_activations(DType dtype, int64_t rows, int64_t columns) {
  Activations x(dtype, rows, columns);
  std::mt19937 random(9);
  for (float& word : x.storage) {
    word = std::bit_cast<float>(static_cast<uint32_t>(random()));
  }
  return x;
}

struct Cut {
  int lanes;
  int64_t rows_at_once;
};

std::vector<float> multiply(std::string_view isa, const PackedMatrix& weight, Activations& x,
                            const Cut& cut) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(isa);
  std::vector<float> out(static_cast<size_t>(x.rows * weight.rows), -1.0f);
  for (int64_t begin = 0; begin < x.rows; begin += cut.rows_at_once) {
    const int64_t end = std::min(x.rows, begin + cut.rows_at_once);
    Linear op;
    op.attributes.weight = &weight;
    op.x = x.some(begin, end);
    op.out = dense_view(out.data() + begin * weight.rows, DType::kF32, end - begin, weight.rows);
    for (int lane = 0; lane < cut.lanes; ++lane) {
      backend->run({.lane = lane, .lanes = cut.lanes}, op);
    }
  }
  return out;
}

bool equal_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void check_agreement(const PackedMatrix& weight, Activations x) {
  const std::vector<float> expected =
      multiply(supported_isas().front(), weight, x, {.lanes = 1, .rows_at_once = x.rows});
  for (std::string_view isa : supported_isas()) {
    for (const Cut& cut : {Cut{1, x.rows}, Cut{2, 1}, Cut{3, 2}, Cut{5, 3}, Cut{2, 6}, Cut{1, 5}}) {
      ASSERT_TRUE(equal_bytes(expected, multiply(isa, weight, x, cut)))
          << weight_format_info(weight.format).name << " x=" << dtype_name(x.dtype) << " " << isa
          << ", " << cut.lanes << " lanes, " << cut.rows_at_once << " rows at once";
    }
  }
}

TEST(LinearLaw, AnyBitsGiveTheSameBits) {
  for (const WeightFormatInfo& info : weight_formats()) {
    for (int64_t groups : {1, 2, 5}) {
      const int64_t columns = info.group_columns == 1 ? groups * 13 : groups * info.group_columns;
      for (unsigned seed = 0; seed < 6; ++seed) {
        const PackedWeights packed(drawn_weight_rows(info.format, 70, columns, seed));
        if (info.quantized) {
          check_agreement(packed.matrix(), drawn_activations(DType::kQ8Row, 20, columns));
        } else {
          check_agreement(packed.matrix(), drawn_activations(DType::kF32, 20, columns));
          check_agreement(packed.matrix(), drawn_activations(DType::kBF16, 20, columns));
        }
      }
    }
  }
}

TEST(LinearLaw, InfiniteAndNanScalesAreSeen) {
  for (const WeightFormatInfo& info : weight_formats()) {
    for (const uint16_t scale : {0x7c00, 0xfc00, 0x7e00, 0xfe01}) {
      const int64_t columns = info.group_columns == 1 ? 8 : 2 * info.group_columns;
      WeightRows weights = plain_weight_rows(info.format, 16, columns, 2);
      for (const ScalePlace& place : scale_places(info.format)) {
        std::memcpy(weights.bytes.data() + place.offset, &scale, sizeof scale);
      }
      const PackedWeights packed(weights);
      if (info.quantized) {
        Activations x(DType::kQ8Row, 7, columns);
        std::memset(x.storage.data(), 1, x.storage.size() * sizeof(float));
        check_agreement(packed.matrix(), x);
        const std::vector<float> out =
            multiply(supported_isas().front(), packed.matrix(), x, {1, 7});
        EXPECT_FALSE(std::isfinite(out[0])) << info.name;
        EXPECT_TRUE(std::isfinite(out[1])) << info.name;
      }
    }
  }
}

// One group with scales of 1 and all values at the ends of their ranges: the result is the integer
// sum itself, which a saturating or wrapping step would miss.
struct Extreme {
  WeightFormat format;
  int file_byte;  // of every quant byte
  double weight;  // that it stands for
};

TEST(LinearLaw, SumsAreExactAtTheEndsOfTheRanges) {
  const Extreme extremes[] = {{WeightFormat::kQ4_0, 0x00, -8},
                              {WeightFormat::kQ4_0, 0xff, 7},
                              {WeightFormat::kQ4_1, 0x00, 1},
                              {WeightFormat::kQ4_1, 0xff, 16},
                              {WeightFormat::kQ5_0, 0x00, -16},
                              {WeightFormat::kQ5_0, 0xff, 15},
                              {WeightFormat::kQ5_1, 0x00, 1},
                              {WeightFormat::kQ5_1, 0xff, 32},
                              {WeightFormat::kQ5_K, 0xff, 63 * 31 - 63},
                              {WeightFormat::kQ8_0, 0x80, -128},
                              {WeightFormat::kQ8_0, 0x7f, 127},
                              {WeightFormat::kQ4_K, 0xff, 63 * 15 - 63},
                              {WeightFormat::kQ6_K, 0x00, -128 * -32},
                              {WeightFormat::kQ6_K, 0xff, -128 * 31}};
  constexpr uint16_t kOne = 0x3c00;
  for (const Extreme& extreme : extremes) {
    const WeightFormatInfo& info = weight_format_info(extreme.format);
    const int64_t columns = info.group_columns;
    WeightRows weights{.format = extreme.format, .rows = 17, .columns = columns, .bytes = {}};
    weights.bytes.assign(static_cast<size_t>(17 * weights.row_size()),
                         static_cast<std::byte>(extreme.file_byte));
    for (int64_t row = 0; row < weights.rows; ++row) {
      std::byte* group = weights.bytes.data() + row * weights.row_size();
      for (const ScalePlace& place : scale_places(extreme.format)) {
        std::memcpy(group + place.offset, &kOne, sizeof kOne);
      }
      if (extreme.format == WeightFormat::kQ6_K) {
        std::memset(group + 192, 0x80, 16);
      }
    }
    const PackedWeights packed(weights);
    for (int q : {-128, -127, 127}) {
      Activations x(DType::kQ8Row, 5, columns);
      for (int64_t t = 0; t < x.rows; ++t) {
        auto* values = x.view().row<int8_t>(t);
        auto* scales = reinterpret_cast<float*>(values + columns);
        std::memset(values, q, static_cast<size_t>(columns));
        std::fill_n(scales, columns / 32, 1.0f);
        std::fill_n(reinterpret_cast<int16_t*>(scales + columns / 32), columns / 16,
                    static_cast<int16_t>(16 * q));
      }
      const auto expected = static_cast<float>(extreme.weight * q * static_cast<double>(columns));
      for (std::string_view isa : supported_isas()) {
        for (float found : multiply(isa, packed.matrix(), x, {1, 5})) {
          ASSERT_EQ(found, expected) << info.name << " " << isa << ", activations of " << q;
        }
      }
    }
  }
}

}  // namespace
}  // namespace invar::conformance

// Weights for tests and benches: rows of a file with drawn bits, and their packed form.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "core/dtype.h"
#include "kernels/weight_format.h"

namespace invar {

// The largest size of a weight that `plain_weight_rows` draws, and of the terms d * q and m that it
// is made of, summed.
inline constexpr float kWeightMax = 2.0f;

struct WeightRows {
  WeightFormat format = WeightFormat::kF32;
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<std::byte> bytes;

  const WeightFormatInfo& info() const { return weight_format_info(format); }
  int64_t row_size() const { return columns / info().group_columns * info().group_bytes; }
  const std::byte* row(int64_t index) const { return bytes.data() + index * row_size(); }
};

// Every bit is drawn: scales may be huge, infinite or NaN.
inline WeightRows drawn_weight_rows(WeightFormat format, int64_t rows, int64_t columns,
                                    unsigned seed) {
  WeightRows weights{.format = format, .rows = rows, .columns = columns, .bytes = {}};
  weights.bytes.resize(static_cast<size_t>(rows * weights.row_size()));
  std::mt19937 random(seed);
  std::generate(weights.bytes.begin(), weights.bytes.end(),
                [&random] { return static_cast<std::byte>(random() >> 24); });
  return weights;
}

// Where in a group of the file the f16 scales lie, and the largest count of steps that each
// multiplies.
struct ScalePlace {
  int64_t offset;
  float steps;
};
inline std::vector<ScalePlace> scale_places(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return {{0, 8}};
    case WeightFormat::kQ4_1:
      return {{0, 15}, {2, 1}};
    case WeightFormat::kQ5_0:
      return {{0, 16}};
    case WeightFormat::kQ5_1:
      return {{0, 31}, {2, 1}};
    case WeightFormat::kQ8_0:
      return {{0, 128}};
    case WeightFormat::kQ4_K:
      return {{0, 63 * 15}, {2, 63}};
    case WeightFormat::kQ5_K:
      return {{0, 63 * 31}, {2, 63}};
    case WeightFormat::kQ6_K:
      return {{208, 128 * 32}};
    default:
      return {};
  }
}

// Quants are drawn, scales are set so that no term is larger than kWeightMax / 2.
inline WeightRows plain_weight_rows(WeightFormat format, int64_t rows, int64_t columns,
                                    unsigned seed) {
  WeightRows weights = drawn_weight_rows(format, rows, columns, seed);
  const WeightFormatInfo& info = weights.info();
  std::mt19937 random(seed + 1);
  std::uniform_real_distribution<float> unit(-1.0f, 1.0f);
  const auto groups = static_cast<int64_t>(weights.bytes.size()) / info.group_bytes;
  for (int64_t g = 0; g < groups; ++g) {
    std::byte* group = weights.bytes.data() + g * info.group_bytes;
    const float value = unit(random);
    if (format == WeightFormat::kF32) {
      std::memcpy(group, &value, sizeof value);
    } else if (format == WeightFormat::kMXFP4) {
      group[0] = static_cast<std::byte>(112 + random() % 13);  // at most 6 * 2^-3
    } else if (!info.quantized) {
      const uint16_t half = format == WeightFormat::kF16 ? f32_to_f16(value) : f32_to_bf16(value);
      std::memcpy(group, &half, sizeof half);
    }
    for (const ScalePlace& place : scale_places(format)) {
      const uint16_t half = f32_to_f16(unit(random) * kWeightMax / 2 / place.steps);
      std::memcpy(group + place.offset, &half, sizeof half);
    }
  }
  return weights;
}

// A packed matrix with its memory.
class PackedWeights {
 public:
  explicit PackedWeights(const WeightRows& weights) {
    const int64_t bytes = packed_bytes(weights.format, weights.rows, weights.columns);
    lines_.resize(static_cast<size_t>((bytes + 63) / 64));
    auto* data = reinterpret_cast<std::byte*>(lines_.data());
    matrix_ = {
        .format = weights.format, .rows = weights.rows, .columns = weights.columns, .data = data};
    const int64_t panel_size = panel_bytes(weights.format, weights.columns);
    for (int64_t panel = 0; panel < matrix_.panels(); ++panel) {
      std::array<const std::byte*, kPanelRows> rows{};
      for (int64_t lane = 0; lane < kPanelRows; ++lane) {
        const int64_t row = panel * kPanelRows + lane;
        rows[lane] = row < weights.rows ? weights.row(row) : nullptr;
      }
      weights.info().pack_panel(rows, weights.columns, data + panel * panel_size);
    }
  }

  const PackedMatrix& matrix() const { return matrix_; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
  PackedMatrix matrix_;
};

}  // namespace invar

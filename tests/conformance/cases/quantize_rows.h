// Cases of quantize_rows. Every step is one f32 operation in both backends: the result is exact.
#pragma once

#include <limits>

#include "backend/ops/quantize_rows.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct QuantizeRowsSizes {
  int64_t rows;
  int64_t columns;
  int64_t padding_bytes = 0;
  bool special = false;  // zeros, tiny and huge values, ties, infinities and NaNs
};

// One kind of value in each group, kind after kind.
inline void set_special_groups(const TensorView& x) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t group = 0; group < x.columns / 32; ++group) {
      float* values = x.row<float>(t) + group * 32;
      const int64_t place = (t * 7 + group) % 32;
      switch ((t + group) % 9) {
        case 0:
          for (int i = 0; i < 32; ++i) {
            values[i] = i % 2 == 0 ? 0.0f : -0.0f;
          }
          break;
        case 1:
          for (int i = 0; i < 32; ++i) {
            values[i] *= 0x1p-140f;  // subnormal
          }
          break;
        case 2:
          values[place] = kInfinity;
          break;
        case 3:
          values[place] = -std::numeric_limits<float>::quiet_NaN();
          break;
        case 4:
          for (int i = 0; i < 32; ++i) {
            values[i] = (static_cast<float>(i) - 15.5f) * 0x1p-3f;  // ties after scaling by 8
          }
          values[place] = 127.0f * 0x1p-3f;
          break;
        case 5:
          values[place] = -std::numeric_limits<float>::max();
          break;
        case 6:
          values[place] = kInfinity;
          values[31 - place] = std::numeric_limits<float>::quiet_NaN();
          break;
        case 7:
          for (int i = 0; i < 32; ++i) {
            values[i] *= 0x1p-119f;  // around the largest value that counts as zero
          }
          break;
        default:
          break;
      }
    }
  }
}

inline OpCase<QuantizeRows> quantize_rows_case(const QuantizeRowsSizes& s) {
  return {fmt::format("rows={} columns={} padding={}{}", s.rows, s.columns, s.padding_bytes,
                      s.special ? " special values" : ""),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(5);
            QuantizeRows op;
            op.x = memory->add({DType::kF32, s.rows, s.columns, s.padding_bytes});
            op.out = memory->add({DType::kQ8Row, s.rows, s.columns, s.padding_bytes});
            filler.uniform(op.x, -1.5, 1.5);
            if (s.special) {
              set_special_groups(op.x);
            }
            return Problem<QuantizeRows>{.memory = std::move(memory),
                                         .op = op,
                                         .tolerance = {},
                                         .rows = s.rows,
                                         .row_alone = [op](int64_t t) {
                                           return QuantizeRows{.x = row_view(op.x, t),
                                                               .out = row_view(op.out, t),
                                                               .attributes = {}};
                                         }};
          }};
}

inline std::vector<OpCase<QuantizeRows>> quantize_rows_cases() {
  std::vector<OpCase<QuantizeRows>> cases;
  for (int64_t columns : {32, 64, 96, 1024, 1056, 2080}) {
    for (int64_t rows : {0, 1, 5}) {
      cases.push_back(quantize_rows_case({.rows = rows, .columns = columns}));
    }
    cases.push_back(
        quantize_rows_case({.rows = 9, .columns = columns, .padding_bytes = 16, .special = true}));
  }
  return cases;
}

inline std::vector<OpCase<QuantizeRows>> quantize_rows_bench_cases() {
  return {quantize_rows_case({.rows = 1, .columns = 2048}),
          quantize_rows_case({.rows = 512, .columns = 2048})};
}

}  // namespace invar::conformance

// Cases of rope.
#pragma once

#include "backend/ops/rope.h"
#include "conformance/op_case.h"
#include "core/math.h"

namespace invar::conformance {

struct RopeSizes {
  std::vector<int32_t> positions;  // one a row
  int64_t context;                 // rows of the table
  int64_t heads;
  int64_t head_dim;
  int64_t half;
  int64_t first_column = 0;
  int64_t padding_bytes = 0;
};

// |x| <= 4: two products and their sum round once each, at values of at most 8.
inline constexpr Tolerance kRopeTolerance = {.absolute = 3 * 8 * kHalfUlp, .relative = 0.0};

inline OpCase<Rope> rope_case(const RopeSizes& s) {
  return {
      fmt::format("rows={} heads={} head_dim={} half={} first={} padding={}", s.positions.size(),
                  s.heads, s.head_dim, s.half, s.first_column, s.padding_bytes),
      [s] {
        auto memory = std::make_unique<Memory>();
        Filler filler(4);
        const auto rows = static_cast<int64_t>(s.positions.size());
        Rope op;
        op.positions = memory->add({DType::kI32, rows, 1});
        op.table = memory->add({DType::kF32, s.context, 2 * s.half});
        op.x = memory->add({DType::kF32, rows, s.heads * s.head_dim, s.padding_bytes});
        op.attributes = {.head_dim = s.head_dim, .first_column = s.first_column};
        set_column(op.positions, s.positions);
        for (int64_t p = 0; p < s.context; ++p) {
          for (int64_t i = 0; i < s.half; ++i) {
            const SinCos angle =
                sincos_f64(static_cast<double>(p) / static_cast<double>(1 + i * i));
            set_number(op.table, p, i, angle.cos);
            set_number(op.table, p, s.half + i, angle.sin);
          }
        }
        filler.uniform(op.x, -4.0, 4.0);
        return Problem<Rope>{.memory = std::move(memory),
                             .op = op,
                             .tolerance = kRopeTolerance,
                             .rows = rows,
                             .row_alone = [op](int64_t t) {
                               return Rope{.positions = row_view(op.positions, t),
                                           .table = op.table,
                                           .x = row_view(op.x, t),
                                           .attributes = op.attributes};
                             }};
      }};
}

inline std::vector<OpCase<Rope>> rope_cases() {
  std::vector<OpCase<Rope>> cases;
  for (int64_t half : {1, 15, 16, 17, 31, 32, 33, 64}) {
    for (int64_t kept : {0, 5}) {  // columns of a head that are not rotated
      cases.push_back(rope_case({.positions = {0, 6, 3},
                                 .context = 7,
                                 .heads = 3,
                                 .head_dim = 2 * half + kept,
                                 .half = half,
                                 .padding_bytes = 8 * kept}));
      cases.push_back(rope_case({.positions = {0, 6, 3},
                                 .context = 7,
                                 .heads = 3,
                                 .head_dim = 2 * half + kept + 3,
                                 .half = half,
                                 .first_column = 3}));
    }
  }
  cases.push_back(
      rope_case({.positions = {}, .context = 2, .heads = 2, .head_dim = 32, .half = 16}));
  return cases;
}

inline std::vector<OpCase<Rope>> rope_bench_cases() {
  std::vector<int32_t> positions(512);
  for (int32_t i = 0; i < 512; ++i) {
    positions[i] = i;
  }
  return {
      rope_case({.positions = positions, .context = 512, .heads = 24, .head_dim = 128, .half = 64}),
      rope_case({.positions = {511}, .context = 512, .heads = 24, .head_dim = 128, .half = 64})};
}

}  // namespace invar::conformance

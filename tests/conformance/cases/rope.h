// Cases of rope.
#pragma once

#include <fmt/ranges.h>

#include "backend/ops/rope.h"
#include "conformance/op_case.h"
#include "core/math.h"

namespace invar::conformance {

struct RopeSizes {
  std::vector<int32_t> positions;  // one a row, or three with sections
  int64_t context;                 // rows of the table
  int64_t heads;
  int64_t head_dim;
  int64_t half;
  int64_t first_column = 0;
  int64_t padding_bytes = 0;
  RopeSections sections = {};
};

// |x| <= 4: two products and their sum round once each, at values of at most 8.
inline constexpr Tolerance kRopeTolerance = {.absolute = 3 * 8 * kHalfUlp, .relative = 0.0};

inline OpCase<Rope> rope_case(const RopeSizes& s) {
  return {fmt::format("positions={} heads={} head_dim={} half={} first={} padding={} sections={}",
                      s.positions.size(), s.heads, s.head_dim, s.half, s.first_column,
                      s.padding_bytes, fmt::join(s.sections, ",")),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(4);
            const int64_t streams = s.sections == RopeSections{} ? 1 : kRopeStreams;
            const int64_t rows = std::ssize(s.positions) / streams;
            Rope op;
            op.positions = memory->add({DType::kI32, rows, streams});
            op.table = memory->add({DType::kF32, s.context, 2 * s.half});
            op.x = memory->add({DType::kF32, rows, s.heads * s.head_dim, s.padding_bytes});
            op.attributes = {
                .head_dim = s.head_dim, .first_column = s.first_column, .sections = s.sections};
            for (int64_t i = 0; i < std::ssize(s.positions); ++i) {
              set_number(op.positions, i / streams, i % streams, s.positions[i]);
            }
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
  // Sections as wide as alternating streams allow, and narrower ones; all positions different, two
  // of them, none.
  for (const RopeSections& sections : {RopeSections{1, 0, 0},
                                       {1, 1, 0},
                                       {1, 1, 1},
                                       {2, 1, 1},
                                       {6, 5, 5},
                                       {11, 11, 10},
                                       {20, 6, 7},
                                       {24, 20, 20},
                                       {40, 0, 0},
                                       {30, 0, 10},
                                       {108, 106, 106}}) {
    const int64_t half = sections[0] + sections[1] + sections[2];
    cases.push_back(rope_case({.positions = {0, 6, 3, 5, 5, 1, 2, 0, 2, 4, 4, 4, 1, 3, 3},
                               .context = 7,
                               .heads = 3,
                               .head_dim = 2 * half + 5,
                               .half = half,
                               .first_column = half % 3,
                               .padding_bytes = 8 * (half % 2),
                               .sections = sections}));
  }
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

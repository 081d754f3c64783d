// Cases of gated_rms_norm.
#pragma once

#include "backend/ops/gated_rms_norm.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct GatedRmsNormSizes {
  int64_t rows;
  int64_t groups;
  int64_t dim;
  bool gate_first = false;
  bool silu = false;
  bool wide_weight = false;  // of all groups
  DType out = DType::kF32;
};

// As rms_norm, with the gate's 8 half ulps (exp, 1 + e, division, product), which count twice where
// it is normalised.
inline Tolerance gated_rms_norm_tolerance(const GatedRmsNormSizes& s) {
  const double sum_errors = static_cast<double>(s.dim) / 16.0 + 5.0;
  return {.absolute = 0x1p-126,
          .relative = (sum_errors / 2.0 + 6.0 + 16.0) * kHalfUlp +
                      (s.out == DType::kBF16 ? kUlpBF16 : 0.0)};
}

inline OpCase<GatedRmsNorm> gated_rms_norm_case(const GatedRmsNormSizes& s) {
  return {fmt::format("rows={} groups={} dim={}{}{}{} out={}", s.rows, s.groups, s.dim,
                      s.gate_first ? " gate first" : "", s.silu ? " silu" : "",
                      s.wide_weight ? " wide weight" : "", dtype_name(s.out)),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(3);
            const int64_t width = s.groups * s.dim;
            GatedRmsNorm op;
            op.x = memory->add({DType::kF32, s.rows, width, 12});
            op.gate = memory->add({DType::kF32, s.rows, width, 36});
            op.weight = memory->add({DType::kF32, 1, s.wide_weight ? width : s.dim});
            op.out = memory->add({s.out, s.rows, width, 4});
            op.attributes = {
                .dim = s.dim, .eps = 1e-5f, .gate_first = s.gate_first, .silu = s.silu};
            for (int64_t t = 0; t < s.rows; ++t) {  // rows of unlike size
              filler.uniform_row(op.x, t, -1.0 - 3.0 * t, 1.0 + 3.0 * t);
            }
            filler.uniform(op.gate, -4.0, 4.0);
            filler.uniform(op.weight, 0.5, 1.5);
            return Problem<GatedRmsNorm>{.memory = std::move(memory),
                                         .op = op,
                                         .tolerance = gated_rms_norm_tolerance(s),
                                         .rows = s.rows,
                                         .row_alone = [op](int64_t t) {
                                           return GatedRmsNorm{.x = row_view(op.x, t),
                                                               .gate = row_view(op.gate, t),
                                                               .weight = op.weight,
                                                               .out = row_view(op.out, t),
                                                               .attributes = op.attributes};
                                         }};
          }};
}

inline std::vector<OpCase<GatedRmsNorm>> gated_rms_norm_cases() {
  std::vector<OpCase<GatedRmsNorm>> cases;
  for (bool gate_first : {false, true}) {
    for (bool silu : {false, true}) {
      for (int64_t dim : {1, 15, 16, 33, 128}) {
        for (DType out : {DType::kF32, DType::kBF16}) {
          cases.push_back(gated_rms_norm_case({.rows = 3,
                                               .groups = 3,
                                               .dim = dim,
                                               .gate_first = gate_first,
                                               .silu = silu,
                                               .wide_weight = dim % 2 == 1,
                                               .out = out}));
        }
      }
    }
    cases.push_back(
        gated_rms_norm_case({.rows = 0, .groups = 2, .dim = 16, .gate_first = gate_first}));
  }
  return cases;
}

inline std::vector<OpCase<GatedRmsNorm>> gated_rms_norm_bench_cases() {
  return {gated_rms_norm_case({.rows = 1, .groups = 32, .dim = 128, .silu = true}),
          gated_rms_norm_case({.rows = 512, .groups = 32, .dim = 128, .silu = true})};
}

}  // namespace invar::conformance

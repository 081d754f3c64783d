// Cases of rms_norm.
#pragma once

#include "backend/ops/rms_norm.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct RmsNormSizes {
  int64_t rows;
  int64_t groups = 1;
  int64_t dim;
  DType out = DType::kF32;
  int64_t padding_bytes = 0;
  bool in_place = false;
};

// The sum of squares has dim / 16 additions in a lane and 4 in the tree, all of one sign; the root
// halves its relative error. The mean, eps, root, reciprocal and two products round once each.
inline Tolerance rms_norm_tolerance(const RmsNormSizes& s) {
  const double sum_errors = static_cast<double>(s.dim) / 16.0 + 5.0;
  return {
      .absolute = 0x1p-126,  // subnormal results
      .relative = (sum_errors / 2.0 + 6.0) * kHalfUlp + (s.out == DType::kBF16 ? kUlpBF16 : 0.0)};
}

inline OpCase<RmsNorm> rms_norm_case(const RmsNormSizes& s) {
  return {fmt::format("rows={} groups={} dim={} out={} padding={}{}", s.rows, s.groups, s.dim,
                      dtype_name(s.out), s.padding_bytes, s.in_place ? " in place" : ""),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(3);
            const int64_t width = s.groups * s.dim;
            RmsNorm op;
            op.x = memory->add({DType::kF32, s.rows, width, s.padding_bytes});
            op.weight = memory->add({DType::kF32, 1, s.dim});
            op.out = s.in_place ? op.x : memory->add({s.out, s.rows, width, s.padding_bytes});
            op.attributes.eps = 1e-5f;
            for (int64_t t = 0; t < s.rows; ++t) {  // rows of unlike size, so that none can pass
              filler.uniform_row(op.x, t, -1.0 - 3.0 * t, 1.0 + 3.0 * t);  // for another
            }
            filler.uniform(op.weight, 0.5, 1.5);
            return Problem<RmsNorm>{.memory = std::move(memory),
                                    .op = op,
                                    .tolerance = rms_norm_tolerance(s),
                                    .rows = s.rows,
                                    .row_alone = [op](int64_t t) {
                                      return RmsNorm{.x = row_view(op.x, t),
                                                     .weight = op.weight,
                                                     .out = row_view(op.out, t),
                                                     .attributes = op.attributes};
                                    }};
          }};
}

inline std::vector<OpCase<RmsNorm>> rms_norm_cases() {
  std::vector<OpCase<RmsNorm>> cases;
  for (DType out : {DType::kF32, DType::kBF16}) {
    for (int64_t dim : {1, 15, 16, 17, 31, 32, 33, 64, 576, 2048}) {
      for (int64_t rows : {1, 3, 6}) {
        cases.push_back(rms_norm_case({.rows = rows, .dim = dim, .out = out}));
      }
      cases.push_back(
          rms_norm_case({.rows = 3, .groups = 5, .dim = dim, .out = out, .padding_bytes = 36}));
    }
    cases.push_back(rms_norm_case({.rows = 0, .dim = 16, .out = out}));
  }
  for (int64_t groups : {1, 3}) {
    cases.push_back(rms_norm_case(
        {.rows = 5, .groups = groups, .dim = 40, .padding_bytes = 4, .in_place = true}));
  }
  return cases;
}

inline std::vector<OpCase<RmsNorm>> rms_norm_bench_cases() {
  return {rms_norm_case({.rows = 1, .dim = 2048}), rms_norm_case({.rows = 512, .dim = 576}),
          rms_norm_case({.rows = 512, .dim = 2048}),
          rms_norm_case({.rows = 512, .dim = 2048, .out = DType::kBF16}),
          rms_norm_case({.rows = 512, .groups = 16, .dim = 128})};
}

}  // namespace invar::conformance

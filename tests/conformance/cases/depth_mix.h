// Cases of depth_mix.
#pragma once

#include "backend/ops/depth_mix.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct DepthMixSizes {
  int64_t rows;
  int64_t width;
  int64_t capacity;  // banks
  int64_t used;
};

// A score is a row sum of width products, sizes adding up to at most 2 * width (query at most 1,
// norm weight at most 1.5, a normalised source 1 in the mean), with width / 16 + 5 roundings and
// the norm's ten: an absolute error, which becomes a relative one of each weight and of their sum.
// An output is at most 4.
inline Tolerance depth_mix_tolerance(const DepthMixSizes& s) {
  const auto width = static_cast<double>(s.width);
  const double score_error = (width / 8.0 + 20.0) * kHalfUlp * 2.0 * width;
  return {.absolute = 4.0 * (2.0 * score_error + static_cast<double>(s.used + 10) * kHalfUlp)};
}

inline OpCase<DepthMix> depth_mix_case(const DepthMixSizes& s) {
  return {fmt::format("rows={} width={} banks={} of {}", s.rows, s.width, s.used, s.capacity), [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(2);
            DepthMix op;
            if (s.capacity > 0) {
              op.banks = memory->add({DType::kF32, s.rows, s.capacity * s.width, 12});
              // Banks that are not in use stay poison.
              std::uniform_real_distribution<double> distribution(-3.0, 3.0);
              for (int64_t t = 0; t < s.rows; ++t) {
                for (int64_t i = 0; i < s.used * s.width; ++i) {
                  set_number(op.banks, t, i, distribution(filler.random()));
                }
              }
            }
            op.running = memory->add({DType::kF32, s.rows, s.width, 20});
            op.norm_weight = memory->add({DType::kF32, 1, s.width});
            op.query = memory->add({DType::kF32, 1, s.width});
            op.out = memory->add({DType::kF32, s.rows, s.width, 4});
            op.attributes = {.banks_used = s.used, .eps = 1e-5f};
            filler.uniform(op.running, -4.0, 4.0);
            filler.uniform(op.norm_weight, 0.5, 1.5);
            filler.uniform(op.query, -1.0, 1.0);
            return Problem<DepthMix>{.memory = std::move(memory),
                                     .op = op,
                                     .tolerance = depth_mix_tolerance(s),
                                     .rows = s.rows,
                                     .row_alone = [op](int64_t t) {
                                       DepthMix one = op;
                                       one.banks = op.banks ? row_view(op.banks, t) : TensorView{};
                                       one.running = row_view(op.running, t);
                                       one.out = row_view(op.out, t);
                                       return one;
                                     }};
          }};
}

inline std::vector<OpCase<DepthMix>> depth_mix_cases() {
  std::vector<OpCase<DepthMix>> cases;
  for (int64_t width : {1, 16, 40, 96}) {
    cases.push_back(depth_mix_case({.rows = 4, .width = width, .capacity = 0, .used = 0}));
    cases.push_back(depth_mix_case({.rows = 4, .width = width, .capacity = 3, .used = 1}));
    cases.push_back(depth_mix_case({.rows = 4, .width = width, .capacity = 8, .used = 8}));
  }
  cases.push_back(depth_mix_case({.rows = 0, .width = 16, .capacity = 2, .used = 2}));
  return cases;
}

inline std::vector<OpCase<DepthMix>> depth_mix_bench_cases() {
  return {depth_mix_case({.rows = 1, .width = 4096, .capacity = 8, .used = 8}),
          depth_mix_case({.rows = 512, .width = 4096, .capacity = 8, .used = 8})};
}

}  // namespace invar::conformance

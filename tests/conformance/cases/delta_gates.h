// Cases of delta_gates.
#pragma once

#include "backend/ops/delta_gates.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct DeltaGatesSizes {
  int64_t rows;
  int64_t heads;
  int64_t width;  // decays of a head
  bool bounded = false;
  double range = 4.0;      // of a and b
  double rate_min = -1.0;  // a_log
  double rate_max = 1.0;
};

// softplus is within 4 ulp and moves with the rounding of a + dt_bias (1 half ulp of up to range +
// 1, slope at most 1), exp(a_log) within 1 ulp: some 12 half ulps, and where softplus is small its
// relative slope is 1, so the sum's error counts in full. Bounded: the product of rate (at most e)
// and z moves sigmoid, whose relative slope is at most 1, by 4 half ulps of e (range + 1).
inline Tolerance delta_gates_tolerance(const DeltaGatesSizes& s) {
  return {.absolute = 1e-36, .relative = (16.0 + 12.0 * (s.range + 1.0)) * kHalfUlp};
}

inline OpCase<DeltaGates> delta_gates_case(const DeltaGatesSizes& s) {
  return {fmt::format("rows={} heads={} width={} {} range={} rates from {}", s.rows, s.heads,
                      s.width, s.bounded ? "bounded" : "free", s.range, s.rate_min),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(2);
            const int64_t columns = s.heads * s.width;
            DeltaGates op;
            op.a = memory->add({DType::kF32, s.rows, columns, 12});
            op.b = memory->add({DType::kF32, s.rows, s.heads, 12});
            op.a_log = memory->add({DType::kF32, 1, s.heads});
            op.dt_bias = memory->add({DType::kF32, 1, columns});
            op.log_decay = memory->add({DType::kF32, s.rows, columns, 4});
            op.beta = memory->add({DType::kF32, s.rows, s.heads, 4});
            op.attributes = {.heads = s.heads, .bounded = s.bounded, .lower_bound = -5.0f};
            filler.uniform(op.a, -s.range, s.range);
            filler.uniform(op.b, -s.range, s.range);
            filler.uniform(op.a_log, s.rate_min, s.rate_max);
            filler.uniform(op.dt_bias, -1.0, 1.0);
            return Problem<DeltaGates>{.memory = std::move(memory),
                                       .op = op,
                                       .tolerance = delta_gates_tolerance(s),
                                       .rows = s.rows,
                                       .row_alone = [op](int64_t t) {
                                         DeltaGates one = op;
                                         one.a = row_view(op.a, t);
                                         one.b = row_view(op.b, t);
                                         one.log_decay = row_view(op.log_decay, t);
                                         one.beta = row_view(op.beta, t);
                                         return one;
                                       }};
          }};
}

inline std::vector<OpCase<DeltaGates>> delta_gates_cases() {
  std::vector<OpCase<DeltaGates>> cases;
  for (bool bounded : {false, true}) {
    for (int64_t heads : {1, 5, 16, 33}) {
      for (int64_t width : {1, 16, 40}) {
        cases.push_back(
            delta_gates_case({.rows = 4, .heads = heads, .width = width, .bounded = bounded}));
      }
    }
    cases.push_back(
        delta_gates_case({.rows = 3, .heads = 32, .width = 1, .bounded = bounded, .range = 25.0}));
    cases.push_back(delta_gates_case({.rows = 0, .heads = 2, .width = 1, .bounded = bounded}));
  }
  // Rates around the largest, and such that only a step's exponent would be too large.
  for (const double rate : {40.0, 84.0}) {
    cases.push_back(delta_gates_case(
        {.rows = 4, .heads = 33, .width = 16, .rate_min = rate, .rate_max = rate + 10.0}));
  }
  return cases;
}

inline std::vector<OpCase<DeltaGates>> delta_gates_bench_cases() {
  return {delta_gates_case({.rows = 512, .heads = 32, .width = 1}),
          delta_gates_case({.rows = 512, .heads = 32, .width = 128})};
}

}  // namespace invar::conformance

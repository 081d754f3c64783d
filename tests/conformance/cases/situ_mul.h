// Cases of situ_mul.
#pragma once

#include "backend/ops/situ_mul.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct SituMulSizes {
  int64_t rows;
  int64_t width;
  float linear_beta = 25.0f;
  DType out = DType::kF32;
  int64_t padding_bytes = 0;
  double range = 8.0;  // of the inputs
};

// tanh is within 4 ulp, twice, of a quotient with one rounding; sigmoid within 3 ulp; four products
// round once each. Where exp overflows the sigmoid is 0, and the exact one below e^-88.
inline Tolerance situ_mul_tolerance(const SituMulSizes& s) {
  return {.absolute = 1e-36 * s.range * s.range,
          .relative = 32 * kHalfUlp + (s.out == DType::kBF16 ? kUlpBF16 : 0.0)};
}

inline OpCase<SituMul> situ_mul_case(const SituMulSizes& s) {
  return {fmt::format("rows={} width={} linear_beta={} out={} padding={} range={}", s.rows, s.width,
                      s.linear_beta, dtype_name(s.out), s.padding_bytes, s.range),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(2);
            SituMul op;
            op.gate = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.up = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.out = memory->add({s.out, s.rows, s.width, s.padding_bytes});
            op.attributes = {.beta = 4.0f, .linear_beta = s.linear_beta};
            filler.uniform(op.gate, -s.range, s.range);
            filler.uniform(op.up, -s.range, s.range);
            return Problem<SituMul>{.memory = std::move(memory),
                                    .op = op,
                                    .tolerance = situ_mul_tolerance(s),
                                    .rows = s.rows,
                                    .row_alone = [op](int64_t t) {
                                      return SituMul{.gate = row_view(op.gate, t),
                                                     .up = row_view(op.up, t),
                                                     .out = row_view(op.out, t),
                                                     .attributes = op.attributes};
                                    }};
          }};
}

inline std::vector<OpCase<SituMul>> situ_mul_cases() {
  std::vector<OpCase<SituMul>> cases;
  for (DType out : {DType::kF32, DType::kBF16}) {
    for (float linear_beta : {0.0f, 25.0f}) {
      for (int64_t width : {1, 16, 17, 1025}) {
        cases.push_back(situ_mul_case({.rows = 3,
                                       .width = width,
                                       .linear_beta = linear_beta,
                                       .out = out,
                                       .padding_bytes = 20}));
      }
    }
    cases.push_back(situ_mul_case({.rows = 4, .width = 256, .out = out, .range = 200.0}));
    cases.push_back(situ_mul_case({.rows = 4, .width = 256, .out = out, .range = 0.01}));
    cases.push_back(situ_mul_case({.rows = 0, .width = 16, .out = out}));
  }
  return cases;
}

inline std::vector<OpCase<SituMul>> situ_mul_bench_cases() {
  return {situ_mul_case({.rows = 1, .width = 6144}), situ_mul_case({.rows = 512, .width = 6144})};
}

}  // namespace invar::conformance

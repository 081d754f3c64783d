// Cases of silu_mul.
#pragma once

#include "backend/ops/silu_mul.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct SiluMulSizes {
  int64_t rows;
  int64_t width;
  DType out = DType::kF32;
  int64_t padding_bytes = 0;
  double range = 8.0;  // of the inputs; from 90 on, exp overflows
};

// exp is within 1 ulp (2 half ulps relative); 1 + e, the division and the product round once each,
// and the bound on their sum is doubled. Where exp overflows the result is 0, and the exact one
// below 90 * e^-88 * range.
inline Tolerance silu_mul_tolerance(const SiluMulSizes& s) {
  return {.absolute = 1e-36 * s.range,
          .relative = 10 * kHalfUlp + (s.out == DType::kBF16 ? kUlpBF16 : 0.0)};
}

inline OpCase<SiluMul> silu_mul_case(const SiluMulSizes& s) {
  return {fmt::format("rows={} width={} out={} padding={} range={}", s.rows, s.width,
                      dtype_name(s.out), s.padding_bytes, s.range),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(2);
            SiluMul op;
            op.gate = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.up = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.out = memory->add({s.out, s.rows, s.width, s.padding_bytes});
            filler.uniform(op.gate, -s.range, s.range);
            filler.uniform(op.up, -s.range, s.range);
            return Problem<SiluMul>{.memory = std::move(memory),
                                    .op = op,
                                    .tolerance = silu_mul_tolerance(s),
                                    .rows = s.rows,
                                    .row_alone = [op](int64_t t) {
                                      return SiluMul{.gate = row_view(op.gate, t),
                                                     .up = row_view(op.up, t),
                                                     .out = row_view(op.out, t),
                                                     .attributes = {}};
                                    }};
          }};
}

inline std::vector<OpCase<SiluMul>> silu_mul_cases() {
  std::vector<OpCase<SiluMul>> cases;
  for (DType out : {DType::kF32, DType::kBF16}) {
    for (int64_t width : {1, 15, 16, 17, 31, 32, 33, 64, 1025}) {
      cases.push_back(silu_mul_case({.rows = 3, .width = width, .out = out}));
      cases.push_back(silu_mul_case({.rows = 2, .width = width, .out = out, .padding_bytes = 20}));
    }
    cases.push_back(silu_mul_case({.rows = 4, .width = 256, .out = out, .range = 200.0}));
    cases.push_back(silu_mul_case({.rows = 0, .width = 16, .out = out}));
  }
  return cases;
}

inline std::vector<OpCase<SiluMul>> silu_mul_bench_cases() {
  return {silu_mul_case({.rows = 1, .width = 6144}), silu_mul_case({.rows = 512, .width = 6144}),
          silu_mul_case({.rows = 512, .width = 6144, .out = DType::kBF16})};
}

}  // namespace invar::conformance

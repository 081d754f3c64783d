// Cases of sigmoid_mul.
#pragma once

#include "backend/ops/sigmoid_mul.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct SigmoidMulSizes {
  int64_t rows;
  int64_t width;
  bool gate_per_row = false;
  bool addend = false;
  DType out = DType::kF32;
  int64_t padding_bytes = 0;
  double range = 8.0;  // of x and gate; from 90 on, exp overflows
};

// exp is within 1 ulp (2 half ulps relative); 1 + e, the division and the product round once each,
// and the bound on their sum is doubled. The addend adds a rounding of at most range + 1. Where exp
// overflows the result is 0, and the exact one below e^-88 * range.
inline Tolerance sigmoid_mul_tolerance(const SigmoidMulSizes& s) {
  const double product_error = s.addend ? 11 * kHalfUlp * (s.range + 1.0) : 0.0;
  return {.absolute = 1e-36 * s.range + product_error,
          .relative = 10 * kHalfUlp + (s.out == DType::kBF16 ? kUlpBF16 : 0.0)};
}

inline OpCase<SigmoidMul> sigmoid_mul_case(const SigmoidMulSizes& s) {
  return {
      fmt::format("rows={} width={}{}{} out={} padding={} range={}", s.rows, s.width,
                  s.gate_per_row ? " gate per row" : "", s.addend ? " addend" : "",
                  dtype_name(s.out), s.padding_bytes, s.range),
      [s] {
        auto memory = std::make_unique<Memory>();
        Filler filler(2);
        SigmoidMul op;
        op.x = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
        op.gate = memory->add({DType::kF32, s.rows, s.gate_per_row ? 1 : s.width, s.padding_bytes});
        op.out = memory->add({s.out, s.rows, s.width, s.padding_bytes});
        filler.uniform(op.x, -s.range, s.range);
        filler.uniform(op.gate, -s.range, s.range);
        if (s.addend) {
          op.addend = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
          filler.uniform(op.addend, -1.0, 1.0);
        }
        return Problem<SigmoidMul>{
            .memory = std::move(memory),
            .op = op,
            .tolerance = sigmoid_mul_tolerance(s),
            .rows = s.rows,
            .row_alone = [op](int64_t t) {
              return SigmoidMul{.x = row_view(op.x, t),
                                .gate = row_view(op.gate, t),
                                .addend = op.addend ? row_view(op.addend, t) : TensorView{},
                                .out = row_view(op.out, t),
                                .attributes = {}};
            }};
      }};
}

inline std::vector<OpCase<SigmoidMul>> sigmoid_mul_cases() {
  std::vector<OpCase<SigmoidMul>> cases;
  for (DType out : {DType::kF32, DType::kBF16}) {
    for (bool gate_per_row : {false, true}) {
      for (bool addend : {false, true}) {
        for (int64_t width : {1, 16, 17, 1025}) {
          cases.push_back(sigmoid_mul_case({.rows = 3,
                                            .width = width,
                                            .gate_per_row = gate_per_row,
                                            .addend = addend,
                                            .out = out,
                                            .padding_bytes = 20}));
        }
      }
    }
    cases.push_back(sigmoid_mul_case({.rows = 4, .width = 256, .out = out, .range = 200.0}));
    cases.push_back(sigmoid_mul_case({.rows = 0, .width = 16, .out = out}));
  }
  return cases;
}

inline std::vector<OpCase<SigmoidMul>> sigmoid_mul_bench_cases() {
  return {sigmoid_mul_case({.rows = 1, .width = 6144}),
          sigmoid_mul_case({.rows = 512, .width = 6144})};
}

}  // namespace invar::conformance

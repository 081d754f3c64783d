// Cases of mul.
#pragma once

#include "backend/ops/mul.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct MulSizes {
  int64_t rows;
  int64_t width;
  DType out = DType::kF32;
  int64_t padding_bytes = 0;
};

inline OpCase<Mul> mul_case(const MulSizes& s) {
  return {fmt::format("rows={} width={} out={} padding={}", s.rows, s.width, dtype_name(s.out),
                      s.padding_bytes),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(2);
            Mul op;
            op.a = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.b = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.out = memory->add({s.out, s.rows, s.width, s.padding_bytes});
            filler.uniform(op.a, -8.0, 8.0);
            filler.uniform(op.b, -8.0, 8.0);
            return Problem<Mul>{.memory = std::move(memory),
                                .op = op,
                                .tolerance = {},  // one correctly rounded operation
                                .rows = s.rows,
                                .row_alone = [op](int64_t t) {
                                  return Mul{.a = row_view(op.a, t),
                                             .b = row_view(op.b, t),
                                             .out = row_view(op.out, t),
                                             .attributes = {}};
                                }};
          }};
}

inline std::vector<OpCase<Mul>> mul_cases() {
  std::vector<OpCase<Mul>> cases;
  for (DType out : {DType::kF32, DType::kBF16}) {
    for (int64_t width : {1, 15, 16, 17, 33, 1025}) {
      cases.push_back(mul_case({.rows = 3, .width = width, .out = out}));
      cases.push_back(mul_case({.rows = 2, .width = width, .out = out, .padding_bytes = 20}));
    }
    cases.push_back(mul_case({.rows = 0, .width = 16, .out = out}));
  }
  return cases;
}

inline std::vector<OpCase<Mul>> mul_bench_cases() {
  return {mul_case({.rows = 1, .width = 6144}), mul_case({.rows = 512, .width = 6144})};
}

}  // namespace invar::conformance

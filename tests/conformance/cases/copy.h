// Cases of copy: equal bytes.
#pragma once

#include "backend/ops/copy.h"
#include "conformance/op_case.h"

namespace invar::conformance {

inline OpCase<Copy> copy_case(int64_t rows, int64_t width, DType dtype) {
  return {fmt::format("rows={} width={} {}", rows, width, dtype_name(dtype)), [=] {
            auto memory = std::make_unique<Memory>();
            Filler filler(3);
            Copy op;
            op.x = memory->add({dtype, rows, width, 8});
            op.out = memory->add({dtype, rows, width, 16});
            filler.uniform(op.x, -4.0, 4.0);
            return Problem<Copy>{
                .memory = std::move(memory),
                .op = op,
                .tolerance = {},
                .rows = rows,
                .row_alone = [op](int64_t t) {
                  return Copy{.x = row_view(op.x, t), .out = row_view(op.out, t), .attributes = {}};
                }};
          }};
}

inline std::vector<OpCase<Copy>> copy_cases() {
  return {copy_case(0, 16, DType::kF32), copy_case(1, 1, DType::kF32),
          copy_case(5, 33, DType::kF32), copy_case(4, 7, DType::kBF16)};
}

inline std::vector<OpCase<Copy>> copy_bench_cases() {
  return {copy_case(1, 4096, DType::kF32), copy_case(512, 4096, DType::kF32)};
}

}  // namespace invar::conformance

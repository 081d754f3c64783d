// Cases of moe_combine.
#pragma once

#include "backend/ops/moe_combine.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct MoeCombineSizes {
  int64_t rows = 3;
  int64_t width = 16;
  int64_t top_k = 2;
  bool addend = false;
  DType out = DType::kF32;
};

// top_k products of at most 2, one rounding each, and one of the addend (at most 1).
inline Tolerance moe_combine_tolerance(const MoeCombineSizes& s) {
  const auto terms = static_cast<double>(s.top_k);
  return {.absolute = (terms + 1.0) * kHalfUlp * (2.0 * terms + 1.0),
          .relative = s.out == DType::kBF16 ? kUlpBF16 : 0.0};
}

inline OpCase<MoeCombine> moe_combine_case(const MoeCombineSizes& s) {
  return {fmt::format("rows={} width={} top_k={}{} out={}", s.rows, s.width, s.top_k,
                      s.addend ? " addend" : "", dtype_name(s.out)),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(2);
            MoeCombine op;
            op.y = memory->add({DType::kF32, s.rows * s.top_k, s.width, 20});
            op.weights = memory->add({DType::kF32, s.rows, s.top_k, 4});
            op.out = memory->add({s.out, s.rows, s.width, 20});
            filler.uniform(op.y, -2.0, 2.0);
            filler.uniform(op.weights, 0.0, 1.0);
            if (s.addend) {
              op.addend = memory->add({DType::kF32, s.rows, s.width, 8});
              filler.uniform(op.addend, -1.0, 1.0);
            }
            return Problem<MoeCombine>{.memory = std::move(memory),
                                       .op = op,
                                       .tolerance = moe_combine_tolerance(s),
                                       .rows = s.rows,
                                       .row_alone = [op](int64_t t) {
                                         MoeCombine one = op;
                                         one.y.data = op.y.row<float>(t * op.weights.columns);
                                         one.y.rows = op.weights.columns;
                                         one.weights = row_view(op.weights, t);
                                         one.addend =
                                             op.addend ? row_view(op.addend, t) : TensorView{};
                                         one.out = row_view(op.out, t);
                                         return one;
                                       }};
          }};
}

inline std::vector<OpCase<MoeCombine>> moe_combine_cases() {
  std::vector<OpCase<MoeCombine>> cases;
  for (DType out : {DType::kF32, DType::kBF16}) {
    for (bool addend : {false, true}) {
      for (int64_t width : {1, 16, 17, 1025}) {
        for (int64_t top_k : {1, 2, 8}) {
          cases.push_back(
              moe_combine_case({.width = width, .top_k = top_k, .addend = addend, .out = out}));
        }
      }
    }
  }
  cases.push_back(moe_combine_case({.rows = 0}));
  return cases;
}

inline std::vector<OpCase<MoeCombine>> moe_combine_bench_cases() {
  return {moe_combine_case({.rows = 1, .width = 2048, .top_k = 8, .addend = true}),
          moe_combine_case({.rows = 512, .width = 2048, .top_k = 8, .addend = true})};
}

}  // namespace invar::conformance

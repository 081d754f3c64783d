// Cases of causal_conv.
#pragma once

#include "backend/ops/causal_conv.h"
#include "conformance/recurrent_case.h"

namespace invar::conformance {

struct CausalConvSizes {
  std::vector<int32_t> lengths;
  int64_t channels;
  int64_t taps;
  bool bias = false;
  bool silu = false;
  int64_t padding_bytes = 0;
};

// Inputs and weights are at most 1: taps products and the bias, one rounding each; SiLU's slope is
// at most 1.1 and its own five roundings are of a value of at most taps + 1.
inline Tolerance causal_conv_tolerance(const CausalConvSizes& s) {
  const auto terms = static_cast<double>(s.taps + 1);
  return {.absolute = 1.1 * terms * terms * kHalfUlp + (s.silu ? 6.0 * terms * kHalfUlp : 0.0)};
}

inline RecurrentCase<CausalConv> causal_conv_case(const CausalConvSizes& s) {
  return {.name = fmt::format("sequences={} channels={} taps={}{}{} padding={}", s.lengths.size(),
                              s.channels, s.taps, s.bias ? " bias" : "", s.silu ? " silu" : "",
                              s.padding_bytes),
          .lengths = s.lengths,
          .page_columns = (s.taps - 1) * s.channels,
          .row_columns = s.channels,
          .padding_bytes = s.padding_bytes,
          .tolerance = causal_conv_tolerance(s),
          .make = [s](Memory& memory, int64_t rows) {
            Filler filler(21);
            CausalConv op;
            op.x = memory.add({DType::kF32, rows, s.channels, s.padding_bytes});
            op.weight = memory.add({DType::kF32, s.taps, s.channels, s.padding_bytes});
            op.out = memory.add({DType::kF32, rows, s.channels, s.padding_bytes});
            op.attributes = {.taps = s.taps, .silu = s.silu};
            filler.uniform(op.x, -1.0, 1.0);
            filler.uniform(op.weight, -1.0, 1.0);
            if (s.bias) {
              op.bias = memory.add({DType::kF32, 1, s.channels});
              filler.uniform(op.bias, -1.0, 1.0);
            }
            return op;
          }};
}

inline std::vector<RecurrentCase<CausalConv>> causal_conv_cases() {
  std::vector<RecurrentCase<CausalConv>> cases;
  for (int64_t taps : {2, 3, 4, 16}) {
    for (bool silu : {false, true}) {
      cases.push_back(causal_conv_case({.lengths = {70, 1, 200, 64},
                                        .channels = 37,
                                        .taps = taps,
                                        .bias = taps % 2 == 0,
                                        .silu = silu,
                                        .padding_bytes = 20}));
    }
  }
  cases.push_back(causal_conv_case({.lengths = {130}, .channels = 700, .taps = 4, .silu = true}));
  return cases;
}

inline std::vector<OpCase<CausalConv>> causal_conv_bench_cases() {
  std::vector<OpCase<CausalConv>> cases;
  for (int32_t rows : {1, 512}) {
    cases.push_back(recurrent_bench_case(
        causal_conv_case({.lengths = {rows}, .channels = 8192, .taps = 4, .silu = true})));
  }
  return cases;
}

}  // namespace invar::conformance

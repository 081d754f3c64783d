// Cases of ssd.
#pragma once

#include "backend/ops/ssd.h"
#include "conformance/recurrent_case.h"

namespace invar::conformance {

struct SsdSizes {
  std::vector<int32_t> lengths;
  int64_t heads;
  int64_t groups;
  int64_t head_dim;
  int64_t state_size;
  double rate = 1.0;  // exp(a_log) is at most e^rate
  double rate_min = -2.0;
  float dt_max = 0x1p127f;
  int64_t padding_bytes = 0;
};

// b, c and x are at most 1 and dt is below 2. Signs mix, so an element of the state stays below 10
// on these inputs, and an output, of state_size products with it, below 10 * sqrt(state_size). Its
// chain has state_size and 64 terms, one rounding each of parts of that size. Decays are exp of
// differences of gamma, each rounded at a size of at most 64 * 2 * e^rate in up to 64 additions, of
// which a walk of 8 remains; two of them, of values of 2. gamma itself is such a sum.
// Where all rates are so large that every decay is 0, it is far from where it matters.
inline Tolerance ssd_tolerance(const SsdSizes& s) {
  const auto state_size = static_cast<double>(s.state_size);
  const double gamma = s.rate_min > 60.0 ? 0.0 : 8.0 * 64.0 * 2.0 * std::exp(s.rate) * kHalfUlp;
  return {.absolute =
              10.0 * std::sqrt(state_size) * (state_size + 64.0) * kHalfUlp + 2.0 * 2.0 * gamma};
}

inline RecurrentCase<Ssd> ssd_case(const SsdSizes& s) {
  const SsdAttributes attributes = {.heads = s.heads,
                                    .head_dim = s.head_dim,
                                    .groups = s.groups,
                                    .state_size = s.state_size,
                                    .dt_min = 0.001f,
                                    .dt_max = s.dt_max};
  return {.name = fmt::format("sequences={} heads={}/{} head_dim={} state={} rate={} padding={}",
                              s.lengths.size(), s.heads, s.groups, s.head_dim, s.state_size, s.rate,
                              s.padding_bytes),
          .lengths = s.lengths,
          .page_columns = ssd_page_columns(attributes),
          .row_columns = ssd_row_columns(attributes),
          .padding_bytes = s.padding_bytes,
          .tolerance = ssd_tolerance(s),
          .make = [s, attributes](Memory& memory, int64_t rows) {
            Filler filler(41);
            const auto add = [&](int64_t count, int64_t columns, double low, double high) {
              const TensorView view = memory.add({DType::kF32, count, columns, s.padding_bytes});
              filler.uniform(view, low, high);
              return view;
            };
            Ssd op;
            op.x = add(rows, s.heads * s.head_dim, -1.0, 1.0);
            op.b = add(rows, s.groups * s.state_size, -1.0, 1.0);
            op.c = add(rows, s.groups * s.state_size, -1.0, 1.0);
            op.dt = add(rows, s.heads, -4.0, 1.0);
            op.dt_bias = add(1, s.heads, -0.5, 0.5);
            op.a_log = add(1, s.heads, s.rate_min, s.rate);
            op.d = add(1, s.heads, -1.0, 1.0);
            op.out = memory.add({DType::kF32, rows, s.heads * s.head_dim, s.padding_bytes});
            op.attributes = attributes;
            return op;
          }};
}

inline std::vector<RecurrentCase<Ssd>> ssd_cases() {
  std::vector<RecurrentCase<Ssd>> cases;
  // 1 to 4 heads that share their products, and numbers that do not divide by 4.
  for (int64_t heads : {2, 4, 6, 8, 10}) {
    cases.push_back(ssd_case({.lengths = {70, 1, 150, 64},
                              .heads = heads,
                              .groups = 2,
                              .head_dim = 16,
                              .state_size = 32,
                              .dt_max = heads == 4 ? 0.1f : 0x1p127f,
                              .padding_bytes = 20}));
  }
  cases.push_back(ssd_case({.lengths = {130, 65},
                            .heads = 4,
                            .groups = 1,
                            .head_dim = 80,
                            .state_size = 128,
                            .rate = 2.5}));
  // On both sides of where exp(a_log) becomes infinite.
  cases.push_back(ssd_case({.lengths = {70, 130},
                            .heads = 4,
                            .groups = 2,
                            .head_dim = 16,
                            .state_size = 32,
                            .rate = 120.0,
                            .rate_min = 80.0}));
  return cases;
}

inline std::vector<OpCase<Ssd>> ssd_bench_cases() {
  std::vector<OpCase<Ssd>> cases;
  for (int32_t rows : {1, 64}) {
    cases.push_back(recurrent_bench_case(ssd_case(
        {.lengths = {rows}, .heads = 80, .groups = 1, .head_dim = 64, .state_size = 128})));
  }
  return cases;
}

}  // namespace invar::conformance

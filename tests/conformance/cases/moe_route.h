// Cases of moe_route.
#pragma once

#include "backend/ops/moe_route.h"
#include "conformance/op_case.h"

namespace invar::conformance {

enum class RouterLogits {
  kDistinct,  // far enough apart that no rounding changes their order
  kEqual,     // a few values, each many times: ties go to the lower index
  kNan,       // some rows have a NaN, some are all -infinity
};

struct MoeRouteSizes {
  int64_t rows = 5;
  int64_t experts = 8;
  MoeRouteAttributes attributes;
  RouterLogits logits = RouterLogits::kDistinct;
  bool bias = false;
};

// Logits are at most 8 in size, so the argument of exp has an error of at most 16 half ulps, exp of
// 2; the sum of the scores adds experts / 16 + 5 roundings, division and scaling two, and the sum
// of the chosen and the division by it top_k + 2 times all that.
inline Tolerance moe_route_tolerance(const MoeRouteSizes& s) {
  const double score_error = static_cast<double>(s.experts) / 16.0 + 30.0;
  return {
      .absolute = 1e-30,
      .relative = (2.0 * score_error + static_cast<double>(s.attributes.top_k) + 4.0) * kHalfUlp};
}

inline void fill_router_logits(const TensorView& logits, RouterLogits kind, Filler& filler) {
  std::vector<double> values;
  for (int64_t e = 0; e < logits.columns; ++e) {
    const double step = 16.0 / static_cast<double>(logits.columns);
    values.push_back(kind == RouterLogits::kEqual ? static_cast<double>(e % 3)
                                                  : -8.0 + step * static_cast<double>(e));
  }
  for (int64_t t = 0; t < logits.rows; ++t) {
    std::shuffle(values.begin(), values.end(), filler.random());
    for (int64_t e = 0; e < logits.columns; ++e) {
      const bool all_low = kind == RouterLogits::kNan && t % 3 == 1;
      set_number(logits, t, e, all_low ? -std::numeric_limits<double>::infinity() : values[e]);
    }
    if (kind == RouterLogits::kNan && t % 3 == 0) {
      set_number(logits, t, t % logits.columns, std::numeric_limits<double>::quiet_NaN());
    }
  }
}

inline OpCase<MoeRoute> moe_route_case(const MoeRouteSizes& s) {
  const MoeRouteAttributes& a = s.attributes;
  return {fmt::format("rows={} experts={} top_k={} {} groups={} of {}{}{} logits={}", s.rows,
                      s.experts, a.top_k, a.sigmoid ? "sigmoid" : "softmax", a.groups_used,
                      a.groups, a.renormalize ? " renormalize" : "", s.bias ? " bias" : "",
                      static_cast<int>(s.logits)),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(static_cast<unsigned>(s.experts));
            MoeRoute op;
            op.attributes = s.attributes;
            op.logits = memory->add({DType::kF32, s.rows, s.experts, 12});
            op.ids = memory->add({DType::kI32, s.rows, s.attributes.top_k, 8});
            op.weights = memory->add({DType::kF32, s.rows, s.attributes.top_k});
            fill_router_logits(op.logits, s.logits, filler);
            if (s.bias) {
              op.bias = memory->add({DType::kF32, 1, s.experts});
              filler.uniform(op.bias, -0.5, 0.5);
            }
            return Problem<MoeRoute>{.memory = std::move(memory),
                                     .op = op,
                                     .tolerance = moe_route_tolerance(s),
                                     .rows = s.rows,
                                     .row_alone = [op](int64_t t) {
                                       MoeRoute one = op;
                                       one.logits = row_view(op.logits, t);
                                       one.ids = row_view(op.ids, t);
                                       one.weights = row_view(op.weights, t);
                                       return one;
                                     }};
          }};
}

inline std::vector<OpCase<MoeRoute>> moe_route_cases() {
  std::vector<OpCase<MoeRoute>> cases;
  for (bool sigmoid : {false, true}) {
    for (bool renormalize : {false, true}) {
      const MoeRouteAttributes a{.top_k = 3, .sigmoid = sigmoid, .renormalize = renormalize};
      for (int64_t experts : {3, 8, 15, 16, 17, 100, 256}) {
        cases.push_back(moe_route_case({.experts = experts, .attributes = a}));
        cases.push_back(moe_route_case({.experts = experts, .attributes = a, .bias = true}));
      }
      for (RouterLogits logits : {RouterLogits::kEqual, RouterLogits::kNan}) {
        cases.push_back(moe_route_case({.experts = 40, .attributes = a, .logits = logits}));
        cases.push_back(
            moe_route_case({.experts = 40, .attributes = a, .logits = logits, .bias = true}));
      }
    }
    MoeRouteAttributes grouped{
        .top_k = 6, .sigmoid = sigmoid, .groups = 8, .groups_used = 3, .scale = 2.5F};
    for (bool bias : {false, true}) {
      for (RouterLogits logits :
           {RouterLogits::kDistinct, RouterLogits::kEqual, RouterLogits::kNan}) {
        for (int64_t experts : {16, 64}) {
          cases.push_back(moe_route_case(
              {.experts = experts, .attributes = grouped, .logits = logits, .bias = bias}));
        }
      }
    }
    grouped.top_k = 2;  // groups of one expert
    cases.push_back(moe_route_case({.experts = 8, .attributes = grouped, .bias = true}));
  }
  cases.push_back(moe_route_case({.experts = 64, .attributes = {.top_k = 64}}));
  cases.push_back(moe_route_case({.rows = 0, .attributes = {.top_k = 2}}));
  return cases;
}

inline std::vector<OpCase<MoeRoute>> moe_route_bench_cases() {
  std::vector<OpCase<MoeRoute>> cases;
  for (int64_t rows : {1, 512}) {
    cases.push_back(moe_route_case(
        {.rows = rows, .experts = 256, .attributes = {.top_k = 8, .renormalize = true}}));
    cases.push_back(moe_route_case({.rows = rows,
                                    .experts = 896,
                                    .attributes = {.top_k = 16, .sigmoid = true},
                                    .bias = true}));
  }
  return cases;
}

}  // namespace invar::conformance

// Cases of delta_rule.
#pragma once

#include "backend/ops/delta_rule.h"
#include "conformance/recurrent_case.h"
#include "core/math.h"

namespace invar::conformance {

struct DeltaRuleSizes {
  std::vector<int32_t> lengths;
  int64_t key_heads;
  int64_t value_heads;
  int64_t key_dim;
  int64_t value_dim;
  bool channel_decay = false;
  bool tiled_heads = false;
  double decay = 0.3;  // the log decays are in [-decay, -decay_min]
  double decay_min = 0.0;
  int64_t padding_bytes = 0;
};

// Keys and queries have length 1, values and beta are at most 1; on these inputs no written value
// exceeds 4. One is a chain of key_dim and 64 terms, whose rounding errors have both signs, so that
// of n half ulps of 4 a walk of sqrt(n) remains. It is written into the state and read again, but
// every row forgets the part of the state along its key: a factor of 8 covers what later rows see
// of it. Decays are exp of differences of gamma, each rounded at a size of at most 64 * decay in up
// to 64 additions, of which a walk of 8 remains; two of them, and a factor of 2 for later rows.
// Where no row leaves anything to the next, their rounding does not matter.
inline Tolerance delta_rule_tolerance(const DeltaRuleSizes& s) {
  const double chain = std::sqrt(static_cast<double>(s.key_dim + 64)) * kHalfUlp;
  const double gamma = s.decay_min > 100.0 ? 0.0 : 8.0 * 64.0 * s.decay * kHalfUlp;
  return {.absolute = 8.0 * 4.0 * chain + 2.0 * 2.0 * gamma};
}

inline RecurrentCase<DeltaRule> delta_rule_case(const DeltaRuleSizes& s) {
  const DeltaRuleAttributes attributes = {.key_heads = s.key_heads,
                                          .value_heads = s.value_heads,
                                          .key_dim = s.key_dim,
                                          .value_dim = s.value_dim,
                                          .channel_decay = s.channel_decay,
                                          .tiled_heads = s.tiled_heads,
                                          .l2_eps = 1e-6f,
                                          .scale = 0.25f};
  return {.name = fmt::format(
              "sequences={} heads={}/{}{} dims={}/{} {} decay={} padding={}", s.lengths.size(),
              s.value_heads, s.key_heads, s.tiled_heads ? " tiled" : "", s.key_dim, s.value_dim,
              s.channel_decay ? "per channel" : "per head", s.decay, s.padding_bytes),
          .lengths = s.lengths,
          .page_columns = delta_rule_page_columns(attributes),
          .row_columns = delta_rule_row_columns(attributes),
          .padding_bytes = s.padding_bytes,
          .tolerance = delta_rule_tolerance(s),
          .make = [s, attributes](Memory& memory, int64_t rows) {
            Filler filler(31);
            const auto add = [&](int64_t columns, double low, double high) {
              const TensorView view = memory.add({DType::kF32, rows, columns, s.padding_bytes});
              filler.uniform(view, low, high);
              return view;
            };
            DeltaRule op;
            op.q = add(s.key_heads * s.key_dim, -2.0, 2.0);
            op.k = add(s.key_heads * s.key_dim, -2.0, 2.0);
            op.v = add(s.value_heads * s.value_dim, -1.0, 1.0);
            op.log_decay =
                add(s.value_heads * (s.channel_decay ? s.key_dim : 1), -s.decay, -s.decay_min);
            op.beta = add(s.value_heads, 0.0, 1.0);
            op.out = memory.add({DType::kF32, rows, s.value_heads * s.value_dim, s.padding_bytes});
            op.attributes = attributes;
            return op;
          }};
}

inline std::vector<RecurrentCase<DeltaRule>> delta_rule_cases() {
  std::vector<RecurrentCase<DeltaRule>> cases;
  for (bool channel_decay : {false, true}) {
    cases.push_back(delta_rule_case({.lengths = {70, 1, 150, 64},
                                     .key_heads = 2,
                                     .value_heads = 4,
                                     .key_dim = 32,
                                     .value_dim = 48,
                                     .channel_decay = channel_decay,
                                     .padding_bytes = 20}));
    // Decays that leave nothing of a row a few rows later; exponents far below exp's range.
    cases.push_back(delta_rule_case({.lengths = {130, 65},
                                     .key_heads = 1,
                                     .value_heads = 2,
                                     .key_dim = 16,
                                     .value_dim = 16,
                                     .channel_decay = channel_decay,
                                     .decay = 9.0}));
    // The least exponents that gates give: each row forgets all before it.
    cases.push_back(delta_rule_case({.lengths = {130, 65},
                                     .key_heads = 1,
                                     .value_heads = 2,
                                     .key_dim = 32,
                                     .value_dim = 16,
                                     .channel_decay = channel_decay,
                                     .decay = -kLogDecayMin,
                                     .decay_min = -kLogDecayMin}));
    cases.push_back(delta_rule_case({.lengths = {90},
                                     .key_heads = 1,
                                     .value_heads = 1,
                                     .key_dim = 128,
                                     .value_dim = 144,
                                     .channel_decay = channel_decay}));
    cases.push_back(delta_rule_case({.lengths = {66},
                                     .key_heads = 2,
                                     .value_heads = 6,
                                     .key_dim = 16,
                                     .value_dim = 16,
                                     .channel_decay = channel_decay,
                                     .tiled_heads = true}));
  }
  return cases;
}

inline std::vector<OpCase<DeltaRule>> delta_rule_bench_cases() {
  std::vector<OpCase<DeltaRule>> cases;
  for (bool channel_decay : {false, true}) {
    for (int32_t rows : {1, 64}) {
      cases.push_back(recurrent_bench_case(delta_rule_case({.lengths = {rows},
                                                            .key_heads = 16,
                                                            .value_heads = 32,
                                                            .key_dim = 128,
                                                            .value_dim = 128,
                                                            .channel_decay = channel_decay})));
    }
  }
  return cases;
}

}  // namespace invar::conformance

// Cases of head_linear: every dense format, outputs around a panel, kept and padding columns.
#pragma once

#include "backend/ops/head_linear.h"
#include "conformance/cases/linear.h"

namespace invar::conformance {

struct HeadLinearSizes {
  WeightFormat format = WeightFormat::kF32;
  int64_t rows = 1;
  int64_t heads = 1;
  int64_t columns = 32;  // K
  int64_t outputs = 16;  // N
  int64_t kept = 0;
  int64_t x_more = 0;  // columns of a head behind K and the kept ones
  int64_t out_more = 0;
};

inline OpCase<HeadLinear> head_linear_case(const HeadLinearSizes& s) {
  return {
      fmt::format("{} rows={} heads={} K={} N={} kept={} more={},{}",
                  weight_format_info(s.format).name, s.rows, s.heads, s.columns, s.outputs, s.kept,
                  s.x_more, s.out_more),
      [s] {
        auto memory = std::make_unique<Memory>();
        Filler filler(static_cast<unsigned>(s.rows + s.outputs));
        auto packed = std::make_shared<PackedWeights>(
            plain_weight_rows(s.format, s.heads * head_matrix_rows(s.outputs), s.columns, 3));
        HeadLinear op;
        op.attributes = {
            .weight = &packed->matrix(), .heads = s.heads, .outputs = s.outputs, .kept = s.kept};
        op.x = memory->add({DType::kF32, s.rows, s.heads * (s.columns + s.kept + s.x_more), 12});
        op.out =
            memory->add({DType::kF32, s.rows, s.heads * (s.outputs + s.kept + s.out_more), 20});
        filler.uniform(op.x, -kActivationMax, kActivationMax);
        return Problem<HeadLinear>{
            .memory = std::move(memory),
            .op = op,
            .tolerance = {.absolute = linear_tolerance({.format = s.format, .columns = s.columns})},
            .rows = s.rows,
            .row_alone =
                [op](int64_t t) {
                  return HeadLinear{.x = row_view(op.x, t),
                                    .out = row_view(op.out, t),
                                    .attributes = op.attributes};
                },
            .owned = packed};
      }};
}

inline std::vector<OpCase<HeadLinear>> head_linear_cases() {
  std::vector<OpCase<HeadLinear>> cases;
  for (const WeightFormatInfo& info : weight_formats()) {
    if (info.quantized) {
      continue;
    }
    for (int64_t rows : {0, 1, 2, 7, 65}) {
      cases.push_back(head_linear_case({.format = info.format, .rows = rows, .heads = 3}));
    }
    for (int64_t outputs : {1, 15, 16, 17, 24, 48}) {
      cases.push_back(head_linear_case({.format = info.format,
                                        .rows = 5,
                                        .heads = 4,
                                        .columns = 64,
                                        .outputs = outputs,
                                        .kept = 8,
                                        .x_more = 3,
                                        .out_more = 5}));
    }
  }
  cases.push_back(head_linear_case({.rows = 3, .heads = 5, .columns = 19, .outputs = 32}));
  return cases;
}

// A latent attention's two products, as large models have them.
inline std::vector<OpCase<HeadLinear>> head_linear_bench_cases() {
  std::vector<OpCase<HeadLinear>> cases;
  for (int64_t rows : {1, 512}) {
    for (const auto& [columns, outputs, kept] :
         {std::array<int64_t, 3>{128, 512, 64}, std::array<int64_t, 3>{512, 128, 0}}) {
      cases.push_back(head_linear_case({.format = WeightFormat::kBF16,
                                        .rows = rows,
                                        .heads = 32,
                                        .columns = columns,
                                        .outputs = outputs,
                                        .kept = kept}));
    }
  }
  return cases;
}

}  // namespace invar::conformance

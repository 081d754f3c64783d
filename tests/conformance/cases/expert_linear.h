// Cases of expert_linear: every weight format and dtype of rows, and how rows fall on experts.
#pragma once

#include "backend/ops/expert_linear.h"
#include "conformance/cases/linear.h"

namespace invar::conformance {

enum class ExpertChoice {
  kDrawn,  // different experts in a row, any
  kOne,    // one expert for all rows first, then drawn ones
  kFew,    // only the first top_k experts
};

struct ExpertLinearSizes {
  LinearSizes product;  // rows of the pass; outputs of one expert: a multiple of 16
  int64_t experts = 6;
  int64_t top_k = 2;
  bool routed_x = false;  // a row of x for each (row, expert)
  ExpertChoice choice = ExpertChoice::kDrawn;
};

inline void fill_expert_ids(const TensorView& ids, const ExpertLinearSizes& s, Filler& filler) {
  std::vector<int32_t> experts(s.choice == ExpertChoice::kFew ? s.top_k : s.experts);
  std::iota(experts.begin(), experts.end(), 0);
  for (int64_t t = 0; t < ids.rows; ++t) {
    std::shuffle(experts.begin() + (s.choice == ExpertChoice::kOne ? 1 : 0), experts.end(),
                 filler.random());
    std::copy_n(experts.begin(), s.top_k, ids.row<int32_t>(t));
  }
}

inline Problem<ExpertLinear> expert_linear_problem(const ExpertLinearSizes& s) {
  auto memory = std::make_unique<Memory>();
  Filler filler(static_cast<unsigned>(s.product.rows + s.experts + s.product.columns));
  auto packed = std::make_shared<PackedWeights>(
      plain_weight_rows(s.product.format, s.experts * s.product.outputs, s.product.columns, 3));
  ExpertLinear op;
  op.attributes = {.weight = &packed->matrix(), .experts = s.experts};
  const int64_t pairs = s.product.rows * s.top_k;
  LinearSizes x_sizes = s.product;
  x_sizes.rows = s.routed_x ? pairs : s.product.rows;
  op.x = add_activations(*memory, filler, x_sizes);
  op.ids = memory->add({DType::kI32, s.product.rows, s.top_k, s.product.padding_bytes});
  op.out = memory->add({DType::kF32, pairs, s.product.outputs, s.product.padding_bytes});
  fill_expert_ids(op.ids, s, filler);
  const auto rows_of = [](TensorView view, int64_t first, int64_t count) {
    view.data = view.row<std::byte>(first);
    view.rows = count;
    return view;
  };
  const auto row_alone = [op, rows_of, s](int64_t t) {
    return ExpertLinear{.x = s.routed_x ? rows_of(op.x, t * s.top_k, s.top_k) : rows_of(op.x, t, 1),
                        .ids = rows_of(op.ids, t, 1),
                        .out = rows_of(op.out, t * s.top_k, s.top_k),
                        .attributes = op.attributes};
  };
  return {.memory = std::move(memory),
          .op = op,
          .tolerance = {.absolute = linear_tolerance(s.product)},
          .rows = s.product.rows,
          .row_alone = row_alone,
          .owned = packed};
}

inline OpCase<ExpertLinear> expert_linear_case(const ExpertLinearSizes& s) {
  const WeightFormatInfo& info = weight_format_info(s.product.format);
  return {fmt::format("{} x={} rows={} N={} K={} experts={} top_k={}{} choice={}", info.name,
                      dtype_name(info.quantized ? DType::kQ8Row : s.product.x), s.product.rows,
                      s.product.outputs, s.product.columns, s.experts, s.top_k,
                      s.routed_x ? " routed x" : "", static_cast<int>(s.choice)),
          [s] { return expert_linear_problem(s); }};
}

inline std::vector<OpCase<ExpertLinear>> expert_linear_cases() {
  std::vector<OpCase<ExpertLinear>> cases;
  const auto add = [&cases](ExpertLinearSizes s) {
    for (ExpertChoice choice : {ExpertChoice::kDrawn, ExpertChoice::kOne, ExpertChoice::kFew}) {
      for (bool routed_x : {false, true}) {
        s.choice = choice;
        s.routed_x = routed_x;
        cases.push_back(expert_linear_case(s));
      }
    }
  };
  for (const WeightFormatInfo& info : weight_formats()) {
    const int64_t columns = info.group_columns == 1 ? 67 : 2 * info.group_columns;
    for (DType x : {DType::kF32, DType::kBF16}) {
      if (x == DType::kF32 || !info.quantized) {
        add({.product = {.format = info.format,
                         .rows = 9,
                         .outputs = 48,
                         .columns = columns,
                         .x = x,
                         .padding_bytes = 16}});
      }
    }
  }
  LinearSizes product{.format = WeightFormat::kQ8_0, .outputs = 16, .columns = 64};
  for (int64_t rows : {0, 1, 2, 65, 140}) {  // more than are gathered at a time
    product.rows = rows;
    add({.product = product, .experts = 5, .top_k = 3});
  }
  product.rows = 7;
  add({.product = product, .experts = 1, .top_k = 1});
  add({.product = product, .experts = 64, .top_k = 4});
  // More pairs than are sorted at a time.
  product.rows = 270;
  product.columns = 32;
  cases.push_back(expert_linear_case({.product = product, .experts = 66, .top_k = 64}));
  // Rows so long that two are not gathered at a time, and a few.
  product = {.format = WeightFormat::kF32, .rows = 3, .outputs = 16, .columns = 33000};
  add({.product = product, .experts = 2, .top_k = 1});
  product.columns = 8000;
  product.rows = 6;
  add({.product = product, .experts = 2, .top_k = 1});
  return cases;
}

// Gate and up of a layer of many small experts, for a token, a few, and a prompt.
inline std::vector<OpCase<ExpertLinear>> expert_linear_bench_cases() {
  std::vector<OpCase<ExpertLinear>> cases;
  for (WeightFormat format : {WeightFormat::kQ4_K, WeightFormat::kQ8_0, WeightFormat::kBF16}) {
    for (int64_t rows : {1, 16, 512}) {
      cases.push_back(expert_linear_case(
          {.product = {.format = format, .rows = rows, .outputs = 1024, .columns = 2048},
           .experts = 64,
           .top_k = 8}));
    }
  }
  return cases;
}

}  // namespace invar::conformance

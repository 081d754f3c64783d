// Cases of linear: every weight format and dtype of rows.
#pragma once

#include "backend/ops/linear.h"
#include "backend/ops/quantize_rows.h"
#include "backend/registry.h"
#include "conformance/op_case.h"
#include "kernels/weight_rows.h"

namespace invar::conformance {

struct LinearSizes {
  WeightFormat format = WeightFormat::kF32;
  int64_t rows = 1;
  int64_t outputs = 16;
  int64_t columns = 32;
  DType x = DType::kF32;  // of dense formats; quantized formats take q8 rows
  bool bias = false;
  bool addend = false;
  bool in_place = false;  // the addend is out
  int64_t padding_bytes = 0;
};

inline constexpr double kActivationMax = 1.5;

// A term of the sum is at most kWeightMax * kActivationMax in size. A rounding is at most 2^-24 of
// a partial sum, so of K such terms. There is one a step of the chain (a column, or one or two a
// group), one more of every step's factor, and a last one of each addition behind the sum.
inline double linear_tolerance(const LinearSizes& s) {
  const bool quantized = weight_format_info(s.format).quantized;
  const double steps = quantized ? 2.0 * static_cast<double>(s.columns) / 32 * 2 : s.columns;
  const double terms = static_cast<double>(s.columns) * kWeightMax * kActivationMax;
  return (steps + 4) * kHalfUlp * (terms + 2);
}

inline TensorView add_activations(Memory& memory, Filler& filler, const LinearSizes& s) {
  if (!weight_format_info(s.format).quantized) {
    const TensorView x = memory.add({s.x, s.rows, s.columns, s.padding_bytes});
    filler.uniform(x, -kActivationMax, kActivationMax);
    return x;
  }
  Memory scratch;
  const TensorView source = scratch.add({DType::kF32, s.rows, s.columns});
  filler.uniform(source, -kActivationMax, kActivationMax);
  const TensorView x = memory.add({DType::kQ8Row, s.rows, s.columns, s.padding_bytes});
  make_ref_backend()->run({}, QuantizeRows{.x = source, .out = x, .attributes = {}});
  return x;
}

inline Problem<Linear> linear_problem(const LinearSizes& s) {
  auto memory = std::make_unique<Memory>();
  Filler filler(static_cast<unsigned>(s.rows + s.outputs + s.columns));
  auto packed =
      std::make_shared<PackedWeights>(plain_weight_rows(s.format, s.outputs, s.columns, 3));
  Linear op;
  op.attributes.weight = &packed->matrix();
  op.x = add_activations(*memory, filler, s);
  op.out = memory->add({DType::kF32, s.rows, s.outputs, s.padding_bytes});
  if (s.bias) {
    op.bias = memory->add({DType::kF32, 1, s.outputs});
    filler.uniform(op.bias, -1.0, 1.0);
  }
  if (s.addend) {
    op.addend = s.in_place ? op.out : memory->add({DType::kF32, s.rows, s.outputs, 4});
    filler.uniform(op.addend, -1.0, 1.0);
  }
  const auto row_alone = [op](int64_t t) {
    return Linear{.x = row_view(op.x, t),
                  .bias = op.bias,
                  .addend = op.addend ? row_view(op.addend, t) : TensorView{},
                  .out = row_view(op.out, t),
                  .attributes = op.attributes};
  };
  return {.memory = std::move(memory),
          .op = op,
          .tolerance = {.absolute = linear_tolerance(s)},
          .rows = s.rows,
          .row_alone = row_alone,
          .owned = packed};
}

inline OpCase<Linear> linear_case(const LinearSizes& s) {
  const WeightFormatInfo& info = weight_format_info(s.format);
  return {
      fmt::format("{} x={} rows={} N={} K={}{}{}{}", info.name,
                  dtype_name(info.quantized ? DType::kQ8Row : s.x), s.rows, s.outputs, s.columns,
                  s.bias ? " bias" : "", s.addend ? " addend" : "", s.in_place ? " in place" : ""),
      [s] { return linear_problem(s); }};
}

// Sizes around those of the tiles and panels, one axis at a time.
inline void add_edge_sizes(const LinearSizes& base, std::vector<OpCase<Linear>>& cases) {
  const int64_t group = weight_format_info(base.format).group_columns;
  LinearSizes s = base;
  s.columns = group == 1 ? 67 : 2 * group;
  for (int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 64, 65}) {
    s.rows = rows;
    for (int64_t outputs : {16, 33}) {
      s.outputs = outputs;
      cases.push_back(linear_case(s));
    }
  }
  s.rows = 7;
  for (int64_t outputs : {1, 15, 16, 17, 31, 32, 48, 50, 64, 79, 96, 97}) {
    s.outputs = outputs;
    cases.push_back(linear_case(s));
  }
  s.outputs = 33;
  // Of groups: around the 16 whose corrections are computed together. Of columns: around the 64
  // that are widened together.
  for (int64_t columns : {1, 2, 3, 15, 16, 17, 18, 32, 33, 63, 64, 65, 129}) {
    if (group == 1 || columns * group <= 33 * 32 || columns <= 3) {
      s.columns = columns * group;
      cases.push_back(linear_case(s));
    }
  }
}

inline std::vector<OpCase<Linear>> linear_cases() {
  std::vector<OpCase<Linear>> cases;
  for (const WeightFormatInfo& info : weight_formats()) {
    add_edge_sizes({.format = info.format}, cases);
    if (!info.quantized) {
      add_edge_sizes({.format = info.format, .x = DType::kBF16}, cases);
    }
    LinearSizes s{.format = info.format, .rows = 9, .outputs = 41};
    s.columns = 2 * (info.group_columns == 1 ? 40 : info.group_columns);
    s.padding_bytes = 16;
    s.bias = true;
    cases.push_back(linear_case(s));
    s.addend = true;
    cases.push_back(linear_case(s));
    s.in_place = true;
    cases.push_back(linear_case(s));
    s.bias = false;
    cases.push_back(linear_case(s));
  }
  return cases;
}

// The matrices of a small model, and a large one, for a prompt and for a token.
inline std::vector<OpCase<Linear>> linear_bench_cases() {
  std::vector<OpCase<Linear>> cases;
  const auto add = [&cases](WeightFormat format, int64_t outputs, int64_t columns) {
    for (int64_t rows : {1, 4, 512}) {
      if (rows < 512 || outputs < 40000) {
        cases.push_back(
            linear_case({.format = format, .rows = rows, .outputs = outputs, .columns = columns}));
      }
    }
  };
  for (const auto& [outputs, columns] :
       {std::pair{576, 576}, {960, 576}, {3072, 576}, {576, 1536}}) {
    add(WeightFormat::kQ4_1, outputs, columns);
  }
  add(WeightFormat::kQ8_0, 49152, 576);
  for (const WeightFormatInfo& info : weight_formats()) {
    add(info.format, 4096, 4096);
  }
  return cases;
}

}  // namespace invar::conformance

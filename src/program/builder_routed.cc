// The builder's methods for mixtures of experts.
#include "program/builder.h"

#include <algorithm>

namespace invar {

Builder::Routing Builder::moe_route(Value logits, const std::string& bias_name, TensorView bias,
                                    const MoeRouteAttributes& attributes) {
  INVAR_CHECK(dtype_of(logits) == DType::kF32 && info(logits).row_factor == 1);
  INVAR_CHECK(!bias || bias.columns == logits.columns, "{}: {} columns for {} experts", bias_name,
              bias.columns, logits.columns);
  const int64_t experts = logits.columns;
  require_size("router: experts", {.max = kMoeExpertsMax, .step = attributes.groups}, experts);
  require_size("router: groups used", {.max = std::min(attributes.groups, kMoeTopKMax)},
               attributes.groups_used);
  const int64_t choice = experts / attributes.groups * attributes.groups_used;
  require_size("router: top_k", {.max = std::min(choice, kMoeTopKMax)}, attributes.top_k);
  const Routing routing{
      .ids = new_value_like(logits, attributes.top_k, DType::kI32, "expert ids"),
      .weights = new_value_like(logits, attributes.top_k, DType::kF32, "expert weights")};
  emit<MoeRouteArgs>("router", {.logits = operand(logits),
                                .bias = bias ? constant(bias_name, bias) : Operand{},
                                .ids = operand(routing.ids),
                                .weights = operand(routing.weights),
                                .attributes = attributes});
  return routing;
}

Value Builder::expert_linear(Value x, const Routing& routing, const ExpertWeights& weights) {
  const PackedMatrix& matrix = *weights.matrix;
  const int64_t top_k = routing.ids.columns;
  INVAR_CHECK(x.columns == matrix.columns, "{}: {} columns for a matrix of {}", weights.name,
              x.columns, matrix.columns);
  INVAR_CHECK(weights.experts > 0 && matrix.rows % weights.experts == 0, "{}: {} rows, {} experts",
              weights.name, matrix.rows, weights.experts);
  require_size(weights.name + ": rows of an expert",
               {.min = kPanelRows, .max = matrix.rows, .step = kPanelRows},
               matrix.rows / weights.experts);
  INVAR_CHECK(info(x).rows == info(routing.ids).rows &&
              (info(x).row_factor == 1 || info(x).row_factor == top_k));
  const Value input = weight_format_info(matrix.format).quantized ? quantized(x) : x;
  const Value out = new_value_like(x, matrix.rows / weights.experts, DType::kF32, weights.name);
  program_.values[out.id].row_factor = top_k;
  emit<ExpertLinearArgs>(weights.name,
                         {.x = operand(input),
                          .ids = operand(routing.ids),
                          .out = operand(out),
                          .attributes = {.weight = &matrix, .experts = weights.experts}});
  return out;
}

Value Builder::moe_combine(Value y, const Routing& routing, const MoeCombineOptions& options) {
  INVAR_CHECK(info(y).rows == info(routing.weights).rows &&
              info(y).row_factor == routing.weights.columns && dtype_of(y) == DType::kF32);
  if (options.addend) {
    INVAR_CHECK(options.addend.columns == y.columns && same_rows(options.addend, routing.weights));
  }
  const Value out =
      new_value_like(routing.weights, y.columns, result_dtype(options.rounded), "experts' sum");
  emit<MoeCombineArgs>("experts' sum", {.y = operand(y),
                                        .weights = operand(routing.weights),
                                        .addend = operand(options.addend),
                                        .out = operand(out),
                                        .attributes = {}});
  return out;
}

}  // namespace invar

// Appending ops with their checks. A failed check is a bug in a family's code: wrong sizes in a
// checkpoint are found before, when its tensors are loaded. Sizes beyond what an op takes are
// refused.
#include "program/builder.h"

#include <algorithm>

#include "core/error.h"

namespace invar {

void Builder::require_size(const std::string& what, SizeRule rule, int64_t found) {
  if (found < rule.min || found > rule.max || found % rule.step != 0) {
    fail(Code::kUnsupported, "{}: expected {} to {} in steps of {}, found {}", what, rule.min,
         rule.max, rule.step, found);
  }
}

Value Builder::new_value(RowSet rows, int64_t columns, DType dtype, std::string name) {
  const auto id = static_cast<int32_t>(program_.values.size());
  program_.values.push_back(
      {.rows = rows, .columns = columns, .dtype = dtype, .name = std::move(name)});
  return {.id = id, .first_column = 0, .columns = columns};
}

Value Builder::new_value_like(Value rows_of, int64_t columns, DType dtype, std::string name) {
  const int64_t row_factor = info(rows_of).row_factor;
  const Value value = new_value(info(rows_of).rows, columns, dtype, std::move(name));
  program_.values[value.id].row_factor = row_factor;
  return value;
}

const ValueInfo& Builder::info(Value value) const {
  INVAR_CHECK(value.id >= 0 && value.id < static_cast<int32_t>(program_.values.size()));
  return program_.values[value.id];
}

Operand Builder::operand(Value value) const {
  if (!value) {
    return {};
  }
  INVAR_CHECK(value.first_column + value.columns <= info(value).columns);
  return {.kind = OperandKind::kValue,
          .index = value.id,
          .first_column = value.first_column,
          .columns = value.columns};
}

Operand Builder::constant(const std::string& name, TensorView view) {
  const auto [it, inserted] =
      constant_ids_.try_emplace(name, static_cast<int32_t>(program_.constants.size()));
  if (inserted) {
    program_.constants.push_back({.name = name, .view = view});
  }
  return {.kind = OperandKind::kConstant, .index = it->second, .columns = view.columns};
}

Operand Builder::table(PassTable table) {
  return {.kind = OperandKind::kTable, .index = static_cast<int32_t>(table), .columns = 1};
}

Operand Builder::state(int32_t buffer, int64_t columns) {
  return {.kind = OperandKind::kState, .index = buffer, .columns = columns};
}

int32_t Builder::new_state_buffer(const std::string& kind, StateBufferInfo info) {
  const auto id = static_cast<int32_t>(program_.state_buffers.size());
  info.name = fmt::format("layer {} {}", layer_, info.name);
  program_.state_buffers.push_back(std::move(info));
  const auto known = std::find_if(program_.state_kinds.begin(), program_.state_kinds.end(),
                                  [&](const StateKind& each) { return each.name == kind; });
  if (known == program_.state_kinds.end()) {
    program_.state_kinds.push_back({.name = kind, .buffers = {id}});
  } else {
    known->buffers.push_back(id);
  }
  return id;
}

AttentionState Builder::paged_attention_state(int64_t kv_heads, int64_t head_dim) {
  const int64_t columns = kv_heads * head_dim * kKvBlockRows;
  return {.k_buffer = new_state_buffer(
              "kv", {.name = "keys", .dtype = policy_.kv_dtype, .columns = columns}),
          .v_buffer = new_state_buffer(
              "kv", {.name = "values", .dtype = policy_.kv_dtype, .columns = columns}),
          .kv_heads = kv_heads,
          .head_dim = head_dim,
          .value_dim = head_dim};
}

AttentionState Builder::paged_latent_state(int64_t row_columns, int64_t value_dim) {
  return {.k_buffer = new_state_buffer("kv", {.name = "latents",
                                              .dtype = policy_.kv_dtype,
                                              .columns = row_columns * kKvBlockRows}),
          .kv_heads = 1,
          .head_dim = row_columns,
          .value_dim = value_dim};
}

RecurrentState Builder::recurrent_state(const std::string& name, int64_t page_columns,
                                        int64_t row_columns) {
  return {.pages_buffer = new_state_buffer("recurrent", {.name = name + " pages",
                                                         .dtype = DType::kF32,
                                                         .columns = page_columns,
                                                         .unit = StateUnit::kStatePage}),
          .rows_buffer = new_state_buffer("recurrent", {.name = name + " rows",
                                                        .dtype = DType::kF32,
                                                        .columns = row_columns * kChunkRows,
                                                        .unit = StateUnit::kRowBlock}),
          .page_columns = page_columns,
          .row_columns = row_columns};
}

Value Builder::embed(const LinearWeights& embedding) {
  const Value out =
      new_value(RowSet::kPass, embedding.matrix->columns, DType::kF32, embedding.name);
  emit<EmbedArgs>(embedding.name, {.token_ids = table(PassTable::kTokenIds),
                                   .out = operand(out),
                                   .attributes = {.weight = embedding.matrix}});
  return out;
}

Value Builder::rms_norm(Value x, const NormWeights& norm, const RmsNormOptions& options) {
  INVAR_CHECK(dtype_of(x) == DType::kF32 && x.columns % norm.weight.columns == 0);
  const Value out = new_value_like(x, x.columns, result_dtype(options.rounded), norm.name);
  emit<RmsNormArgs>(norm.name, {.x = operand(x),
                                .weight = constant(norm.name, norm.weight),
                                .out = operand(out),
                                .attributes = {.eps = norm.eps}});
  return out;
}

void Builder::rms_norm_in_place(Value x, const NormWeights& norm) {
  INVAR_CHECK(dtype_of(x) == DType::kF32 && x.columns % norm.weight.columns == 0);
  emit<RmsNormArgs>(norm.name, {.x = operand(x),
                                .weight = constant(norm.name, norm.weight),
                                .out = operand(x),
                                .attributes = {.eps = norm.eps}});
  forget_quantized(x);
}

Value Builder::quantized(Value x) {
  const std::tuple key{x.id, x.first_column, x.columns};
  if (const auto found = quantized_.find(key); found != quantized_.end()) {
    return found->second;
  }
  INVAR_CHECK(dtype_of(x) == DType::kF32);
  const Value out = new_value_like(x, x.columns, DType::kQ8Row, info(x).name + " (q8)");
  emit<QuantizeRowsArgs>(info(x).name, {.x = operand(x), .out = operand(out), .attributes = {}});
  quantized_.emplace(key, out);
  return out;
}

void Builder::forget_quantized(Value x) {
  std::erase_if(quantized_, [&](const auto& entry) { return std::get<0>(entry.first) == x.id; });
}

Value Builder::linear(Value x, const LinearWeights& weights, const LinearOptions& options) {
  const PackedMatrix& matrix = *weights.matrix;
  INVAR_CHECK(x.columns == matrix.columns, "{}: {} columns for a matrix of {}", weights.name,
              x.columns, matrix.columns);
  const Value input = weight_format_info(matrix.format).quantized ? quantized(x) : x;
  const Value out = new_value_like(x, matrix.rows, DType::kF32, weights.name);
  if (options.addend) {
    INVAR_CHECK(options.addend.columns == matrix.rows && same_rows(options.addend, x));
  }
  emit<LinearArgs>(
      weights.name,
      {.x = operand(input),
       .bias = weights.bias ? constant(weights.name + " bias", weights.bias) : Operand{},
       .addend = operand(options.addend),
       .out = operand(out),
       .attributes = {.weight = &matrix}});
  return out;
}

Value Builder::head_linear(Value x, const HeadWeights& weights, const HeadLinearOptions& options) {
  const int64_t head_columns =
      options.head_columns > 0 ? options.head_columns : weights.outputs + options.kept;
  INVAR_CHECK(x.columns % weights.heads == 0 && dtype_of(x) == DType::kF32, "{}: {} columns",
              weights.name, x.columns);
  const Value out = new_value_like(x, weights.heads * head_columns, DType::kF32, weights.name);
  emit<HeadLinearArgs>(weights.name, {.x = operand(x),
                                      .out = operand(out),
                                      .attributes = {.weight = weights.matrix,
                                                     .heads = weights.heads,
                                                     .outputs = weights.outputs,
                                                     .kept = options.kept}});
  return out;
}

Value Builder::space(Value x, int64_t columns) {
  return new_value_like(x, columns, dtype_of(x), "space");
}

void Builder::copy(Value x, Value window) {
  INVAR_CHECK(x.columns == window.columns && same_rows(x, window));
  emit<CopyArgs>("copy", {.x = operand(x), .out = operand(window), .attributes = {}});
}

Value Builder::add(Value a, Value b) {
  INVAR_CHECK(a.columns == b.columns && same_rows(a, b));
  INVAR_CHECK(dtype_of(a) == DType::kF32 && dtype_of(b) == DType::kF32);
  const Value out = new_value_like(a, a.columns, DType::kF32, "sum");
  emit<AddArgs>("residual",
                {.a = operand(a), .b = operand(b), .out = operand(out), .attributes = {}});
  return out;
}

Value Builder::silu_mul(Value gate, Value up) {
  INVAR_CHECK(gate.columns == up.columns && same_rows(gate, up));
  const Value out = new_value_like(gate, gate.columns, policy_.activation_dtype, "activation");
  emit<SiluMulArgs>(
      "activation",
      {.gate = operand(gate), .up = operand(up), .out = operand(out), .attributes = {}});
  return out;
}

void Builder::rope(Value x, const RopeWeights& weights, int64_t head_dim, int64_t first_column) {
  INVAR_CHECK(x.columns % head_dim == 0 && first_column + weights.table.columns <= head_dim);
  const bool streams = weights.sections != RopeSections{};
  emit<RopeArgs>(
      weights.name,
      {.positions = table(streams ? PassTable::kPositionStreams : PassTable::kPositions),
       .table = constant(weights.name, weights.table),
       .x = operand(x),
       .attributes = {
           .head_dim = head_dim, .first_column = first_column, .sections = weights.sections}});
  forget_quantized(x);
}

void Builder::kv_write(const AttentionState& cache, Value k, Value v) {
  const int64_t width = cache.kv_heads * cache.head_dim;
  const bool has_values = cache.v_buffer >= 0;
  INVAR_CHECK(k.columns == width && v.columns == (has_values ? width : 0));
  const int64_t columns = width * kKvBlockRows;
  emit<KvWriteArgs>("cache",
                    {.k = operand(k),
                     .v = operand(v),
                     .positions = table(PassTable::kPositions),
                     .row_segment = table(PassTable::kRowSegment),
                     .block_table = table(PassTable::kBlockTable),
                     .write_from = table(PassTable::kKvWriteFrom),
                     .k_cache = state(cache.k_buffer, columns),
                     .v_cache = has_values ? state(cache.v_buffer, columns) : Operand{},
                     .attributes = {.kv_heads = cache.kv_heads, .head_dim = cache.head_dim}});
}

Value Builder::attention(Value q, const AttentionState& cache, const AttentionOptions& options) {
  const int64_t most = cache.v_buffer >= 0 ? kAttentionHeadDimMax : kAttentionLatentDimMax;
  require_size("attention: head size", {.min = 16, .max = most, .step = 16}, cache.head_dim);
  require_size("attention: value size", {.min = 16, .max = cache.head_dim, .step = 16},
               cache.value_dim);
  require_size("attention: heads", {.max = kBuilderHeadsMax, .step = cache.kv_heads},
               options.heads);
  INVAR_CHECK(q.columns == options.heads * cache.head_dim);
  const int64_t columns = cache.kv_heads * cache.head_dim * kKvBlockRows;
  const DType dtype = options.rounded ? policy_.activation_dtype : DType::kF32;
  const Value out = new_value_like(q, options.heads * cache.value_dim, dtype, "attention");
  emit<AttentionArgs>("attention",
                      {.q = operand(q),
                       .positions = table(PassTable::kPositions),
                       .cu_rows = table(PassTable::kCuRows),
                       .block_table = table(PassTable::kBlockTable),
                       .k_cache = state(cache.k_buffer, columns),
                       .v_cache = cache.v_buffer >= 0 ? state(cache.v_buffer, columns) : Operand{},
                       .out = operand(out),
                       .attributes = {.heads = options.heads,
                                      .kv_heads = cache.kv_heads,
                                      .head_dim = cache.head_dim,
                                      .value_dim = cache.value_dim,
                                      .scale = options.scale}});
  return out;
}

Value Builder::gather_logit_rows(Value x) {
  INVAR_CHECK(info(x).row_factor == 1);
  const Value out = new_value(RowSet::kLogits, x.columns, dtype_of(x), "logit rows");
  emit<GatherRowsArgs>("logit rows", {.x = operand(x),
                                      .row_index = table(PassTable::kLogitRows),
                                      .out = operand(out),
                                      .attributes = {}});
  return out;
}

std::vector<Value> Builder::split(Value x, std::span<const int64_t> widths) const {
  std::vector<Value> parts;
  int64_t first = x.first_column;
  for (int64_t width : widths) {
    parts.push_back({.id = x.id, .first_column = first, .columns = width});
    first += width;
  }
  INVAR_CHECK(first == x.first_column + x.columns, "split of {} columns ends at {}", x.columns,
              first - x.first_column);
  return parts;
}

Program Builder::finish(Value logits) {
  INVAR_CHECK(info(logits).rows == RowSet::kLogits && dtype_of(logits) == DType::kF32);
  program_.output = logits;
  return std::move(program_);
}

}  // namespace invar

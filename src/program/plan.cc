// Text form of a program.
#include "program/plan.h"

#include <fmt/format.h>

#include "program/pretended_pass.h"

namespace invar {
namespace {

std::string_view table_name(int32_t table) {
  switch (static_cast<PassTable>(table)) {
    case PassTable::kTokenIds:
      return "token_ids";
    case PassTable::kPositions:
      return "positions";
    case PassTable::kRowSegment:
      return "row_segment";
    case PassTable::kCuRows:
      return "cu_rows";
    case PassTable::kBlockTable:
      return "block_table";
    case PassTable::kLogitRows:
      return "logit_rows";
    case PassTable::kStatePages:
      return "state_pages";
    case PassTable::kKvWriteFrom:
      return "kv_write_from";
    case PassTable::kRowBlocks:
      return "row_blocks";
    case PassTable::kPositionStreams:
      return "position_streams";
  }
  return "?";
}

std::string describe_operand(const Program& program, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kNone:
      return "-";
    case OperandKind::kValue: {
      const ValueInfo& info = program.values[operand.index];
      const bool whole = operand.columns == info.columns;
      return fmt::format("%{}[{}, {}{}] {}", operand.index,
                         (info.row_factor == 1 ? "" : fmt::format("{} x ", info.row_factor)) +
                             (info.rows == RowSet::kPass ? "rows" : "logit_rows"),
                         operand.columns, whole ? "" : fmt::format(" @{}", operand.first_column),
                         dtype_name(info.dtype));
    }
    case OperandKind::kConstant: {
      const ConstantInfo& info = program.constants[operand.index];
      return fmt::format("'{}'[{}, {}] {}", info.name, info.view.rows, info.view.columns,
                         dtype_name(info.view.dtype));
    }
    case OperandKind::kTable:
      return std::string(table_name(operand.index));
    case OperandKind::kState: {
      const StateBufferInfo& info = program.state_buffers[operand.index];
      return fmt::format("<{}>[kv_blocks, {}] {}", info.name, info.columns, dtype_name(info.dtype));
    }
  }
  return "?";
}

}  // namespace

std::string describe_node(const Program& program, const Node& node) {
  std::string text =
      fmt::format("{:<14}{:<9} {:<24}", node.name(),
                  node.layer < 0 ? "" : fmt::format("layer {}", node.layer), node.label);
  node.visit([&](const char* field, Use use, const Operand& operand) {
    if (operand) {
      text += fmt::format(" {}{}={}", use == Use::kWrite || use == Use::kReadWrite ? "->" : "",
                          field, describe_operand(program, operand));
    }
  });
  return text;
}

std::string describe_program(const Program& program, int64_t rows, int64_t first_position) {
  const PretendedPass pass(program, rows, first_position);
  std::string text;
  Cost total;
  for (const auto& node : program.nodes) {
    const Cost cost = node->cost(pass.binding());
    text += fmt::format("{:>12} {:>10} {:>14}  {}\n", cost.read_bytes, cost.write_bytes, cost.flops,
                        describe_node(program, *node));
    total += cost;
  }
  const LayerSpec spec = merge_layer_specs(derive_layer_specs(program));
  text += fmt::format(
      "total: {} ops, {} row(s) at position {}: {} bytes read, {} written, {} FLOPs; weights {} "
      "bytes; state {} bytes a position{}; arena {} bytes; positions at most {}\n",
      program.nodes.size(), rows, first_position, total.read_bytes, total.write_bytes, total.flops,
      spec.weight_bytes, spec.state_bytes_per_position,
      spec.state_page_bytes == 0
          ? ""
          : fmt::format(", {} bytes a state page, {} bytes of pending rows a chunk",
                        spec.state_page_bytes, spec.row_block_bytes),
      pass.arena_bytes(),
      spec.positions_max == kNoPositionLimit ? "unlimited" : std::to_string(spec.positions_max));
  for (const Restriction& restriction : spec.restrictions) {
    text += fmt::format("restriction: layer {}: {}\n", restriction.layer, restriction.text);
  }
  return text;
}

}  // namespace invar

// Binding of operands, and layer specs derived from a program's ops.
#include "program/program.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace invar {

TensorView Binding::resolve(const Operand& operand) const {
  const Program& program = *sources_.program;
  switch (operand.kind) {
    case OperandKind::kNone:
      return {};
    case OperandKind::kConstant:
      return program.constants[operand.index].view;
    case OperandKind::kTable:
      return sources_.tables->view(static_cast<PassTable>(operand.index));
    case OperandKind::kState:
      return (*sources_.state_buffers)[operand.index];
    case OperandKind::kValue:
      break;
  }
  const ValueInfo& info = program.values[operand.index];
  const PassShape shape = sources_.tables->shape();
  TensorView view;
  view.data = sources_.arena + sources_.arena_plan->values[operand.index].offset_bytes +
              (operand.first_column == 0 ? 0 : row_bytes(info.dtype, operand.first_column));
  view.dtype = info.dtype;
  view.rows = info.row_factor * (info.rows == RowSet::kPass ? shape.rows : shape.logit_rows);
  view.columns = operand.columns;
  view.stride_bytes = row_bytes(info.dtype, info.columns);
  return view;
}

Program copy(const Program& program) {
  Program copied{.values = program.values,
                 .constants = program.constants,
                 .state_buffers = program.state_buffers,
                 .state_kinds = program.state_kinds,
                 .nodes = {},
                 .output = program.output};
  for (const auto& node : program.nodes) {
    copied.nodes.push_back(node->copy());
  }
  return copied;
}

std::vector<LayerSpec> derive_layer_specs(const Program& program) {
  std::vector<LayerSpec> specs;
  auto spec_of = [&](int layer) -> LayerSpec& {
    for (LayerSpec& spec : specs) {
      if (spec.layer == layer) {
        return spec;
      }
    }
    specs.emplace_back().layer = layer;
    return specs.back();
  };
  std::set<const PackedMatrix*> weights;  // a tied table is read by two ops, and is there once
  std::vector<bool> counted(program.state_buffers.size(), false);
  for (const auto& node : program.nodes) {
    LayerSpec& spec = spec_of(node->layer);
    if (const PackedMatrix* weight = node->weight(); weight && weights.insert(weight).second) {
      spec.weight_bytes += packed_bytes(weight->format, weight->rows, weight->columns);
    }
    node->visit([&](const char* field, Use /*use*/, const Operand& operand) {
      if (operand.kind == OperandKind::kState && !counted[operand.index]) {
        counted[operand.index] = true;
        const StateBufferInfo& buffer = program.state_buffers[operand.index];
        switch (buffer.unit) {
          case StateUnit::kKvBlock:
            spec.state_bytes_per_position += buffer.bytes_per_unit() / kKvBlockRows;
            break;
          case StateUnit::kStatePage:
            spec.state_page_bytes += buffer.bytes_per_unit();
            break;
          case StateUnit::kRowBlock:
            spec.row_block_bytes += buffer.bytes_per_unit();
            break;
        }
      }
      if (operand.kind == OperandKind::kState) {
        for (const StateKind& kind : program.state_kinds) {
          const bool uses = std::find(kind.buffers.begin(), kind.buffers.end(), operand.index) !=
                            kind.buffers.end();
          const bool listed = std::find(spec.state_kinds.begin(), spec.state_kinds.end(),
                                        kind.name) != spec.state_kinds.end();
          if (uses && !listed) {
            spec.state_kinds.push_back(kind.name);
          }
        }
      }
      // A table indexed by position (rope) ends where its rows end.
      if (operand.kind == OperandKind::kConstant && std::strcmp(field, "table") == 0) {
        spec.positions_max =
            std::min(spec.positions_max, program.constants[operand.index].view.rows);
      }
    });
  }
  return specs;
}

}  // namespace invar

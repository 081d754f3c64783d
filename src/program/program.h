// A program: a model as a list of ops over typed values, built once at load (program/builder.h) and
// run by program/executor.h. There is no other path through a model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "program/layer_spec.h"
#include "program/operand.h"
#include "program/pass_tables.h"
#include "program/state_kind.h"

namespace invar {

class Binding;

using OperandVisitor = std::function<void(const char* field, Use use, const Operand& operand)>;

// One op of the list.
class Node {
 public:
  virtual ~Node() = default;

  virtual std::unique_ptr<Node> copy() const = 0;
  virtual const char* name() const = 0;
  virtual void visit(const OperandVisitor& visitor) const = 0;
  // Reads the pass's shape through the binding; called for each lane, at once or not.
  virtual void run(const Stream& stream, const Backend& backend, const Binding& binding) const = 0;
  virtual Cost cost(const Binding& binding) const = 0;
  virtual const PackedMatrix* weight() const = 0;  // the packed matrix it reads; null: none

  int layer = -1;     // -1 outside any layer
  std::string label;  // what the op does in its layer, for example "qkv"
};

// The node of op `Args` (see backend/op.h); `args` refers to values, constants, tables and states.
template <template <class> class Args>
class OpNode final : public Node {
 public:
  explicit OpNode(Args<Operand> arguments) : args(std::move(arguments)) {}

  std::unique_ptr<Node> copy() const override { return std::make_unique<OpNode>(*this); }
  const char* name() const override { return Args<Operand>::kName; }
  void visit(const OperandVisitor& visitor) const override {
    Args<Operand>::fields(
        [&](const char* field, Use use, const Operand& o) { visitor(field, use, o); }, args);
  }
  void run(const Stream& stream, const Backend& backend, const Binding& binding) const override;
  Cost cost(const Binding& binding) const override;
  const PackedMatrix* weight() const override;

  Args<Operand> args;

 private:
  Args<TensorView> bind(const Binding& binding) const;
};

// Where a value lives in the arena, and from which op to which it is alive.
struct ValuePlacement {
  int64_t offset_bytes = 0;
  int first_node = 0;
  int last_node = 0;
};

struct ArenaPlan {
  std::vector<ValuePlacement> values;  // by value id
  int64_t bytes = 0;
};

struct Program {
  std::vector<ValueInfo> values;
  std::vector<ConstantInfo> constants;
  std::vector<StateBufferInfo> state_buffers;
  std::vector<StateKind> state_kinds;
  std::vector<std::unique_ptr<Node>> nodes;
  Value output;  // the logits: [logit rows, vocabulary] f32
};

// A second list over the same constants and weights, for example to fuse one of two.
Program copy(const Program& program);

// Lays the values out so that values alive at the same time never overlap.
ArenaPlan plan_arena(const Program& program, const PassLimits& limits);

// One spec for the ops outside layers and one for each layer, in order.
std::vector<LayerSpec> derive_layer_specs(const Program& program);

// Resolves operands to memory for one pass. Cheap to make; all pointers must outlive it.
class Binding {
 public:
  struct Sources {
    const Program* program = nullptr;
    const ArenaPlan* arena_plan = nullptr;
    std::byte* arena = nullptr;
    const std::vector<TensorView>* state_buffers = nullptr;  // by state buffer id
    const PassTables* tables = nullptr;
  };
  explicit Binding(const Sources& sources) : sources_(sources) {}

  TensorView resolve(const Operand& operand) const;
  const PassTables& tables() const { return *sources_.tables; }

 private:
  Sources sources_;
};

template <template <class> class Args>
Args<TensorView> OpNode<Args>::bind(const Binding& binding) const {
  Args<TensorView> bound;
  bound.attributes = args.attributes;
  Args<Operand>::fields([&](const char* /*field*/, Use /*use*/, const Operand& from,
                            TensorView& to) { to = binding.resolve(from); },
                        args, bound);
  return bound;
}

template <template <class> class Args>
void OpNode<Args>::run(const Stream& stream, const Backend& backend, const Binding& binding) const {
  backend.run(stream, bind(binding));
}

template <template <class> class Args>
Cost OpNode<Args>::cost(const Binding& binding) const {
  return invar::cost(bind(binding));
}

template <template <class> class Args>
const PackedMatrix* OpNode<Args>::weight() const {
  if constexpr (requires { args.attributes.weight; }) {
    return args.attributes.weight;
  }
  return nullptr;
}

}  // namespace invar

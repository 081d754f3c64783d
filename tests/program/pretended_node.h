// Test support: a node that only says what it reads and writes, for tests of what looks at lists.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "program/program.h"

namespace invar {

class PretendedNode final : public Node {
 public:
  struct Access {
    Use use;
    int32_t value;
  };
  explicit PretendedNode(std::vector<Access> accesses) : accesses_(std::move(accesses)) {}

  std::unique_ptr<Node> copy() const override { return std::make_unique<PretendedNode>(*this); }
  const char* name() const override { return "pretended"; }
  void visit(const OperandVisitor& visitor) const override {
    for (const Access& access : accesses_) {
      visitor("value", access.use, {.kind = OperandKind::kValue, .index = access.value});
    }
  }
  void run(const Stream& /*stream*/, const Backend& /*backend*/,
           const Binding& /*binding*/) const override {}
  Cost cost(const Binding& /*binding*/) const override { return {}; }
  const PackedMatrix* weight() const override { return nullptr; }

 private:
  std::vector<Access> accesses_;
};

}  // namespace invar

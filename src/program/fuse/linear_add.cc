// See linear_add.h.
#include "program/fuse/linear_add.h"

#include <algorithm>

namespace invar {
namespace {

using LinearNode = OpNode<LinearArgs>;
using AddNode = OpNode<AddArgs>;

bool same_window(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.index == b.index && a.first_column == b.first_column &&
         a.columns == b.columns;
}

int count_uses(const Program& program, const Operand& operand) {
  int uses = 0;
  for (const auto& node : program.nodes) {
    node->visit([&](const char* /*field*/, Use /*use*/, const Operand& o) {
      uses += o.kind == operand.kind && o.index == operand.index ? 1 : 0;
    });
  }
  return uses;
}

}  // namespace

int fuse_linear_add(Program& program) {
  int rewrites = 0;
  for (size_t i = 0; i + 1 < program.nodes.size(); ++i) {
    auto* linear = dynamic_cast<LinearNode*>(program.nodes[i].get());
    auto* add = dynamic_cast<AddNode*>(program.nodes[i + 1].get());
    if (linear == nullptr || add == nullptr || linear->args.addend) {
      continue;
    }
    const Operand product = linear->args.out;
    const bool product_is_a = same_window(add->args.a, product);
    const bool product_is_b = same_window(add->args.b, product);
    // Written once and read once: nobody else sees the product.
    if (product_is_a == product_is_b || count_uses(program, product) != 2) {
      continue;
    }
    linear->args.addend = product_is_a ? add->args.b : add->args.a;
    linear->args.out = add->args.out;
    program.nodes[i + 1].reset();
    rewrites += 1;
    program.nodes.erase(program.nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return rewrites;
}

}  // namespace invar

// The list of fusion rules: a new rule is one line here.
#include "program/fuse/linear_add.h"
#include "program/fuse/rule.h"

namespace invar {

std::span<const FusionRule> fusion_rules() {
  static constexpr FusionRule kRules[] = {
      {"linear_add", FusionNumerics::kBitIdentical, &fuse_linear_add},
  };
  return kRules;
}

int fuse(Program& program) {
  int rewrites = 0;
  for (const FusionRule& rule : fusion_rules()) {
    if (rule.numerics == FusionNumerics::kBitIdentical) {
      rewrites += rule.apply(program);
    }
  }
  return rewrites;
}

}  // namespace invar

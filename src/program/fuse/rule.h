// Fusion: rewriting a program's list before it runs. One file a rule; a rule says whether it keeps
// every bit.
#pragma once

#include <span>
#include <string_view>

#include "program/program.h"

namespace invar {

enum class FusionNumerics {
  kBitIdentical,  // the fused op gives the bytes of the unfused chain; a test compares them
  kDiffers,       // it does not; used only where the policy names it
};

struct FusionRule {
  std::string_view name;
  FusionNumerics numerics;
  // Rewrites all matches in place and returns how many there were.
  int (*apply)(Program& program);
};

std::span<const FusionRule> fusion_rules();

// Applies every bit-identical rule, in the list's order. Returns the number of rewrites.
int fuse(Program& program);

}  // namespace invar

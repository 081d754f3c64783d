// moe_route: chooses each row's experts from its router logits, and their weights.
//   score[e] = sigmoid(logits[e]), or softmax over all experts
//   key[e]   = score[e] [+ bias[e]]; a NaN key ranks as -infinity
// With more than one group (experts / groups consecutive experts each) only the experts of the best
// groups_used groups can be chosen. A group's key is its best key or, with a bias, the sum of its
// two best. ids are the top_k experts by key, best first; equal keys (of experts or groups) go to
// the lower index. weights[j] = score[ids[j]], divided by the sum of the chosen scores + 1e-20 if
// `renormalize`, then times `scale`. The bias ranks only.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kMoeExpertsMax = 1024;
inline constexpr int64_t kMoeTopKMax = 64;

struct MoeRouteAttributes {
  int64_t top_k = 0;
  bool sigmoid = false;  // else softmax
  int64_t groups = 1;
  int64_t groups_used = 1;
  bool renormalize = false;
  float scale = 1;
};

template <class T>
struct MoeRouteArgs {
  static constexpr const char* kName = "moe_route";
  using Attributes = MoeRouteAttributes;

  T logits;   // [rows, experts] f32; rows may be strided
  T bias;     // [1, experts] f32
  T ids;      // [rows, top_k] i32, different ones in a row
  T weights;  // [rows, top_k] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("logits", Use::kRead, args.logits...);
    visit("bias", Use::kOptional, args.bias...);
    visit("ids", Use::kWrite, args.ids...);
    visit("weights", Use::kWrite, args.weights...);
  }
};
using MoeRoute = MoeRouteArgs<TensorView>;

void validate(const MoeRoute& op);
Cost cost(const MoeRoute& op);

}  // namespace invar

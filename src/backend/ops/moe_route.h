// moe_route: chooses experts for each row from router logits.
//   score = softmax(logits) or sigmoid(logits);  rank = score + correction_bias (ranks only)
// With group_count > 1 only the best groups_kept groups take part, a group's rank being the sum of
// its two highest. The top_k highest ranks are taken, highest first, ties to the lower index;
// weights are the scores, divided by their sum + 1e-20 if `renormalize`, times `scale`.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct MoeRouteAttributes {
  int64_t top_k = 0;
  bool sigmoid = false;  // else softmax
  bool renormalize = false;
  float scale = 1;
  int64_t group_count = 1;
  int64_t groups_kept = 1;
};

template <class T>
struct MoeRouteArgs {
  static constexpr const char* kName = "moe_route";
  using Attributes = MoeRouteAttributes;

  T logits;           // [rows, experts] f32
  T correction_bias;  // [1, experts] f32
  T ids;              // [rows, top_k] i32
  T weights;          // [rows, top_k] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("logits", Use::kRead, args.logits...);
    visit("correction_bias", Use::kOptional, args.correction_bias...);
    visit("ids", Use::kWrite, args.ids...);
    visit("weights", Use::kWrite, args.weights...);
  }
};
using MoeRoute = MoeRouteArgs<TensorView>;

void validate(const MoeRoute& op);
Cost cost(const MoeRoute& op);

}  // namespace invar

// depth_mix: attention over depth (residual banks). Sources are bank 0 .. n - 1, then the running
// sum.
//   a = softmax_i(<query, (s_i / sqrt(mean(s_i^2) + eps)) * norm_weight>);  out = sum_i a_i s_i
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kDepthMixBanksMax = 31;

struct DepthMixAttributes {
  int64_t banks_used = 0;  // at most kDepthMixBanksMax
  float eps = 0;
};

template <class T>
struct DepthMixArgs {
  static constexpr const char* kName = "depth_mix";
  using Attributes = DepthMixAttributes;

  T banks;    // [rows, bank capacity * width] f32: bank i is columns [i * width, (i + 1) * width)
  T running;  // [rows, width] f32
  T norm_weight;  // [1, width] f32
  T query;        // [1, width] f32
  T out;          // [rows, width] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("banks", Use::kOptional, args.banks...);
    visit("running", Use::kRead, args.running...);
    visit("norm_weight", Use::kRead, args.norm_weight...);
    visit("query", Use::kRead, args.query...);
    visit("out", Use::kWrite, args.out...);
  }
};
using DepthMix = DepthMixArgs<TensorView>;

void validate(const DepthMix& op);
Cost cost(const DepthMix& op);

}  // namespace invar

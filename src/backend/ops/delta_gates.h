// delta_gates: decay and write strength of the delta rule, per value head or per key channel.
//   log_decay = -exp(a_log[h]) * softplus(a + dt_bias)                 (bounded = false)
//   log_decay = lower_bound * sigmoid(exp(a_log[h]) * (a + dt_bias))   (bounded = true)
//   beta = sigmoid(b)
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct DeltaGatesAttributes {
  int64_t heads = 0;
  bool bounded = false;
  float lower_bound = 0;
};

template <class T>
struct DeltaGatesArgs {
  static constexpr const char* kName = "delta_gates";
  using Attributes = DeltaGatesAttributes;

  T a;          // [rows, heads * width] f32; rows may be strided
  T b;          // [rows, heads] f32; rows may be strided
  T a_log;      // [1, heads] f32
  T dt_bias;    // [1, heads * width] f32
  T log_decay;  // [rows, heads * width] f32
  T beta;       // [rows, heads] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("a", Use::kRead, args.a...);
    visit("b", Use::kRead, args.b...);
    visit("a_log", Use::kRead, args.a_log...);
    visit("dt_bias", Use::kRead, args.dt_bias...);
    visit("log_decay", Use::kWrite, args.log_decay...);
    visit("beta", Use::kWrite, args.beta...);
  }
};
using DeltaGates = DeltaGatesArgs<TensorView>;

void validate(const DeltaGates& op);
Cost cost(const DeltaGates& op);

}  // namespace invar

// A mixture of experts: a router chooses top_k experts a row, each a gated feed-forward, and their
// weighted sum is added to what shared experts give.
//
//   routing = moe_route(router(h))
//   y_j     = down_e(activation(gate_e(x), up_e(x))), e = ids[j]; x = h, or latent.down(h)
//   r       = sum_j weights[j] y_j; with latent experts up(norm(r))
//   moe     = addend + r [+ shared(h), times sigmoid(shared.gate(h)) if it has a gate]
//
// The caller normalises: `h` is the normed input (a dense matrix takes it as it is), and `addend`
// (optional) is what the result is added to: the residual, or a running sum that is none of h's
// inputs. So a layer with a plain residual is
//   x = moe(b, b.rms_norm(x, post_norm), x, layer.moe);
// and one with residual attention over banks is
//   running = moe(b, b.rms_norm(mixed, post_norm), running, layer.moe);
// models/expert_tensors.h loads the experts under every spelling of their names.
#pragma once

#include <optional>
#include <string>

#include "layers/gated_activation.h"
#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

// Experts of one width, stacked: parts of gate_up have experts * (sum of widths) rows, and in each
// expert's rows the gate comes first.
struct Experts {
  int64_t count = 0;
  Projection gate_up;  // gate and up, [width] each
  ExpertWeights down;
};

// A feed-forward that every row takes; several shared experts are one of their summed width.
struct SharedExperts {
  Projection gate_up;
  LinearWeights down;
  std::optional<LinearWeights> gate;  // [1, hidden]
};

// Experts that work in a narrower space. The router and the shared experts see the full width.
struct LatentSpace {
  LinearWeights down;               // [latent, hidden]
  std::optional<NormWeights> norm;  // [latent], of the experts' sum
  LinearWeights up;                 // [hidden, latent]
};

struct Moe {
  LinearWeights router;  // [experts, hidden]
  std::string correction_bias_name;
  TensorView correction_bias;  // optional: [1, experts] f32
  MoeRouteAttributes routing;
  Experts experts;
  GatedActivation activation;  // of routed and shared experts
  std::optional<LatentSpace> latent;
  std::optional<SharedExperts> shared;
};

Value moe(Builder& b, Value h, Value addend, const Moe& m);

}  // namespace invar

// See moe.h.
#include "layers/moe.h"

#include "layers/projection.h"

namespace invar {
namespace {

// As project(), of each row's experts.
std::vector<Value> project_experts(Builder& b, Value x, const Builder::Routing& routing,
                                   const Experts& experts) {
  std::vector<Value> values;
  for (const ProjectionPart& part : experts.gate_up.parts) {
    const Value product = b.expert_linear(
        x, routing, {.name = part.name, .matrix = part.matrix, .experts = experts.count});
    const std::vector<Value> windows = b.split(product, part.widths);
    values.insert(values.end(), windows.begin(), windows.end());
  }
  return values;
}

Value add_routed(Builder& b, Value h, Value addend, const Moe& m) {
  const Builder::Routing routing =
      b.moe_route(b.linear(h, m.router), m.correction_bias_name, m.correction_bias, m.routing);
  const Value x = m.latent ? b.linear(h, m.latent->down) : h;
  const std::vector<Value> gate_up = project_experts(b, x, routing, m.experts);
  const Value y = b.expert_linear(m.activation(b, gate_up[0], gate_up[1]), routing, m.experts.down);
  if (!m.latent) {
    return b.moe_combine(y, routing, {.addend = addend});
  }
  const std::optional<NormWeights>& norm = m.latent->norm;
  const Value sum = b.moe_combine(y, routing, {.addend = {}, .rounded = !norm});
  return b.linear(norm ? b.rms_norm(sum, *norm) : sum, m.latent->up, {.addend = addend});
}

Value add_shared(Builder& b, Value h, Value addend, const Moe& m) {
  const std::vector<Value> gate_up = project(b, h, m.shared->gate_up);
  const Value activated = m.activation(b, gate_up[0], gate_up[1]);
  if (!m.shared->gate) {
    return b.linear(activated, m.shared->down, {.addend = addend});
  }
  return b.sigmoid_mul(b.linear(activated, m.shared->down), b.linear(h, *m.shared->gate),
                       {.addend = addend});
}

}  // namespace

Value moe(Builder& b, Value h, Value addend, const Moe& m) {
  const Value sum = add_routed(b, h, addend, m);
  return m.shared ? add_shared(b, h, sum, m) : sum;
}

}  // namespace invar

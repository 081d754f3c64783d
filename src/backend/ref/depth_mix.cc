// The definition of depth_mix.
#include "backend/ops/depth_mix.h"

#include <algorithm>
#include <vector>

#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {
namespace {

// Element i of source j of row t.
double source(const DepthMix& op, int64_t t, int64_t j, int64_t i) {
  return j < op.attributes.banks_used ? load_scalar(op.banks, t, j * op.out.columns + i)
                                      : load_scalar(op.running, t, i);
}

void mix(const DepthMix& op, int64_t t) {
  const int64_t width = op.out.columns;
  const int64_t sources = op.attributes.banks_used + 1;
  std::vector<double> weights;
  for (int64_t j = 0; j < sources; ++j) {
    double squares = 0.0;
    double score = 0.0;
    for (int64_t i = 0; i < width; ++i) {
      const double value = source(op, t, j, i);
      squares += value * value;
      score += load_scalar(op.query, 0, i) * value * load_scalar(op.norm_weight, 0, i);
    }
    weights.push_back(score /
                      __builtin_sqrt(squares / static_cast<double>(width) + op.attributes.eps));
  }
  const double max = *std::ranges::max_element(weights);
  double sum = 0.0;
  for (double& weight : weights) {
    weight = exp_clamped_f64(weight - max);
    sum += weight;
  }
  for (int64_t i = 0; i < width; ++i) {
    double out = 0.0;
    for (int64_t j = 0; j < sources; ++j) {
      out += weights[j] / sum * source(op, t, j, i);
    }
    store_scalar(op.out, t, i, out);
  }
}

}  // namespace

void RefBackend::run(const Stream& stream, const DepthMix& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t t = 0; t < op.out.rows; ++t) {
    mix(op, t);
  }
}

}  // namespace invar

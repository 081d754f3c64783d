// The definition of moe_route, in double.
#include "backend/ops/moe_route.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"

namespace invar {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

// The `count` candidates with the largest keys, best first, the lower of equal ones first.
// Candidates are ascending.
std::vector<int64_t> best(std::vector<int64_t> candidates, const std::vector<double>& keys,
                          int64_t count) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](int64_t a, int64_t b) { return keys[a] > keys[b]; });
  candidates.resize(count);
  return candidates;
}

std::vector<int64_t> indices_up_to(int64_t count) {
  std::vector<int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

std::vector<double> scores_of(const float* logits, int64_t experts, bool sigmoid) {
  std::vector<double> scores(logits, logits + experts);
  if (sigmoid) {
    std::transform(scores.begin(), scores.end(), scores.begin(), &sigmoid_f64);
    return scores;
  }
  const double max = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = exp_clamped_f64(score - max);
    sum += score;
  }
  for (double& score : scores) {
    score /= sum;
  }
  return scores;
}

// The experts of the best groups, ascending.
std::vector<int64_t> candidates_of(const MoeRoute& op, const std::vector<double>& keys) {
  const int64_t groups = op.attributes.groups;
  const auto size = static_cast<int64_t>(keys.size()) / groups;
  std::vector<double> group_keys;
  for (int64_t group = 0; group < groups; ++group) {
    std::vector<double> members(keys.begin() + group * size, keys.begin() + (group + 1) * size);
    std::sort(members.rbegin(), members.rend());
    group_keys.push_back(members[0] + (op.bias && size > 1 ? members[1] : 0.0));
  }
  std::vector<int64_t> candidates;
  for (int64_t group : best(indices_up_to(groups), group_keys, op.attributes.groups_used)) {
    for (int64_t e = group * size; e < (group + 1) * size; ++e) {
      candidates.push_back(e);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

}  // namespace

void RefBackend::run(const Stream& stream, const MoeRoute& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const MoeRouteAttributes& a = op.attributes;
  for (int64_t t = 0; t < op.ids.rows; ++t) {
    const std::vector<double> scores =
        scores_of(op.logits.row<float>(t), op.logits.columns, a.sigmoid);
    std::vector<double> keys = scores;
    for (int64_t e = 0; e < op.logits.columns; ++e) {
      keys[e] += op.bias ? op.bias.row<float>(0)[e] : 0.0f;
      keys[e] = std::isnan(keys[e]) ? kLowest : keys[e];
    }
    const std::vector<int64_t> chosen = best(candidates_of(op, keys), keys, a.top_k);
    double sum = 1e-20;
    for (int64_t e : chosen) {
      sum += scores[e];
    }
    for (int64_t j = 0; j < a.top_k; ++j) {
      const double weight = scores[chosen[j]] / (a.renormalize ? sum : 1.0) * a.scale;
      op.ids.row<int32_t>(t)[j] = static_cast<int32_t>(chosen[j]);
      op.weights.row<float>(t)[j] = static_cast<float>(weight);
    }
  }
}

}  // namespace invar

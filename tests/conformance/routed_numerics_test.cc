// The experts' part of docs/numerics.md as scalar code, one operation a line, and that a row's bits
// are those of linear with its expert's matrix. Every instruction set must give these bits
// (check_case.h compares them with each other).
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "conformance/cases/expert_linear.h"
#include "conformance/cases/moe_combine.h"
#include "conformance/cases/moe_route.h"
#include "core/math.h"

namespace invar::conformance {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

std::vector<float> scores_of(const MoeRoute& op, int64_t t) {
  const float* logits = op.logits.row<float>(t);
  std::vector<float> scores(logits, logits + op.logits.columns);
  if (op.attributes.sigmoid) {
    std::transform(scores.begin(), scores.end(), scores.begin(), &sigmoid_f32);
    return scores;
  }
  float max = kLowest;
  for (float logit : scores) {
    max = logit > max ? logit : max;
  }
  std::array<float, 16> lane = {};
  for (size_t e = 0; e < scores.size(); ++e) {
    const float difference = scores[e] - max;
    scores[e] = exp_f32(difference);
    lane[e % 16] = lane[e % 16] + scores[e];
  }
  for (int half = 8; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) {
      lane[j] = lane[j] + lane[j + half];
    }
  }
  for (float& score : scores) {
    score = score / lane[0];
  }
  return scores;
}

// The indices of the largest keys among those allowed, best first, the lower of equal ones first.
std::vector<int32_t> best_of(const std::vector<float>& keys, const std::vector<bool>& allowed,
                             int64_t count) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (allowed[i]) {
      order.push_back(static_cast<int32_t>(i));
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[a] > keys[b]; });
  order.resize(count);
  return order;
}

std::vector<bool> allowed_experts(const MoeRoute& op, const std::vector<float>& keys) {
  const int64_t groups = op.attributes.groups;
  const int64_t size = static_cast<int64_t>(keys.size()) / groups;
  std::vector<float> group_keys;
  for (int64_t group = 0; group < groups; ++group) {
    std::vector<float> members(keys.begin() + group * size, keys.begin() + (group + 1) * size);
    std::sort(members.rbegin(), members.rend());
    group_keys.push_back(op.bias && size > 1 ? members[0] + members[1] : members[0]);
  }
  std::vector<bool> allowed(keys.size(), false);
  for (int32_t group :
       best_of(group_keys, std::vector<bool>(groups, true), op.attributes.groups_used)) {
    std::fill_n(allowed.begin() + group * size, size, true);
  }
  return allowed;
}

void define(const MoeRoute& op) {
  for (int64_t t = 0; t < op.ids.rows; ++t) {
    const std::vector<float> scores = scores_of(op, t);
    std::vector<float> keys = scores;
    for (size_t e = 0; e < keys.size(); ++e) {
      keys[e] = op.bias ? keys[e] + op.bias.row<float>(0)[e] : keys[e];
      keys[e] = std::isnan(keys[e]) ? kLowest : keys[e];
    }
    const std::vector<int32_t> ids = best_of(keys, allowed_experts(op, keys), op.attributes.top_k);
    float sum = 0.0f;
    for (int32_t e : ids) {
      sum = sum + scores[e];
    }
    sum = sum + 1e-20f;
    for (size_t j = 0; j < ids.size(); ++j) {
      const float weight = op.attributes.renormalize ? scores[ids[j]] / sum : scores[ids[j]];
      op.ids.row<int32_t>(t)[j] = ids[j];
      op.weights.row<float>(t)[j] = weight * op.attributes.scale;
    }
  }
}

void define(const MoeCombine& op) {
  const int64_t top_k = op.weights.columns;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      float sum = 0.0f;
      for (int64_t j = 0; j < top_k; ++j) {
        sum = std::fma(op.weights.row<float>(t)[j], op.y.row<float>(t * top_k + j)[i], sum);
      }
      set_number(op.out, t, i, op.addend ? op.addend.row<float>(t)[i] + sum : sum);
    }
  }
}

// Each row alone, as linear with its expert's part of the weight.
void define(const ExpertLinear& op) {
  const PackedMatrix& weight = *op.attributes.weight;
  const int64_t top_k = op.ids.columns;
  const auto backend = make_cpu_backend("");
  for (int64_t pair = 0; pair < op.out.rows; ++pair) {
    const int64_t expert = op.ids.row<int32_t>(pair / top_k)[pair % top_k];
    PackedMatrix one = weight;
    one.rows = op.out.columns;
    one.data += expert * packed_bytes(one.format, one.rows, one.columns);
    backend->run({}, Linear{.x = row_view(op.x, op.x.rows == op.out.rows ? pair : pair / top_k),
                            .bias = {},
                            .addend = {},
                            .out = row_view(op.out, pair),
                            .attributes = {.weight = &one}});
  }
}

template <class Op>
void expect_defined_bits(const std::vector<OpCase<Op>>& cases) {
  const auto backend = make_cpu_backend("");
  for (const OpCase<Op>& op_case : cases) {
    const Problem<Op> problem = op_case.make();
    const Image start = problem.memory->image();
    define(problem.op);
    const Image expected = problem.memory->image();
    problem.memory->restore(start);
    backend->run({}, problem.op);
    ASSERT_EQ(problem.memory->difference(expected, problem.memory->image()), "") << op_case.name;
  }
}

// Which NaN a weight is, is not defined: routers with NaNs are left to the conformance cases.
TEST(RoutedNumerics, MoeRouteHasTheDefinedBits) {
  std::vector<OpCase<MoeRoute>> cases = moe_route_cases();
  const std::string nan = fmt::format("logits={}", static_cast<int>(RouterLogits::kNan));
  std::erase_if(cases, [&](const auto& each) { return each.name.ends_with(nan); });
  expect_defined_bits(cases);
}
TEST(RoutedNumerics, MoeCombineHasTheDefinedBits) {
  expect_defined_bits(moe_combine_cases());
}
TEST(RoutedNumerics, ExpertLinearHasTheBitsOfLinear) {
  expect_defined_bits(expert_linear_cases());
}

// A row without a usable score still gets different experts of the lowest indices that may be
// chosen, so that nothing is read out of bounds.
TEST(RoutedNumerics, NanLogitsChooseTheFirstExperts) {
  Memory memory;
  MoeRoute op;
  op.logits = memory.add({DType::kF32, 1, 12});  // poison: NaN
  op.ids = memory.add({DType::kI32, 1, 3});
  op.weights = memory.add({DType::kF32, 1, 3});
  op.attributes = {.top_k = 3, .groups = 4, .groups_used = 1};
  for (std::string_view isa : supported_isas()) {
    for (bool sigmoid : {false, true}) {
      op.attributes.sigmoid = sigmoid;
      make_cpu_backend(isa)->run({}, op);
      EXPECT_EQ(numbers(op.ids), (std::vector<double>{0, 1, 2})) << isa;
      EXPECT_TRUE(std::isnan(op.weights.row<float>(0)[0])) << isa;
    }
  }
}

}  // namespace
}  // namespace invar::conformance

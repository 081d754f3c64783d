// Log probabilities against double arithmetic.
#include "engine/log_softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace invar {
namespace {

TEST(LogSoftmax, EqualsDoubleArithmetic) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal(3.0f, 5.0f);
  std::vector<float> logits(5000);
  for (float& logit : logits) {
    logit = normal(random);
  }
  double sum = 0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit));
  }
  const LogSoftmax log_softmax(logits);
  for (int32_t id = 0; id < 5000; ++id) {
    ASSERT_NEAR(log_softmax.logprob(id), logits[id] - std::log(sum), 1e-5) << id;
  }
}

TEST(LogSoftmax, LargeLogitsDoNotOverflow) {
  const std::vector<float> logits = {1000.0f, 1000.0f, -1000.0f};
  const LogSoftmax log_softmax(logits);
  EXPECT_NEAR(log_softmax.logprob(0), -std::log(2.0), 1e-6);
  EXPECT_NEAR(log_softmax.logprob(2), -2000 - std::log(2.0), 1e-3);
}

}  // namespace
}  // namespace invar

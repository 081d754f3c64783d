// Unnormalised probabilities as whole numbers: e^x for x <= 0, in units of 2^-40. Sums of them are
// exact, so they do not depend on the order and can be taken in parts; a vocabulary of 2^23 tokens
// fits in 64 bits. What is below a unit (x < -27.7) counts as nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "core/math.h"

namespace invar {

// The number that stands for probability 1, as float.
inline constexpr float kProbabilityUnit = 0x1p40f;

// Below this a probability is less than a unit; a score that is no number counts as this one.
inline constexpr float kScaledMin = -80.0f;
inline float clamp_scaled(float scaled) {
  return scaled > kScaledMin ? scaled : kScaledMin;
}

// e^x for kScaledMin <= x <= 0, within 2 units in the last place. The steps are those of exp_f32
// without fused multiply-adds and branches, so that a compiler can run them in lanes on any machine
// and gets the same bits.
inline float exp_of_clamped(float x) {
  using C = ExpConstants;
  const float rounded = x * C::kLog2E + C::kRounder;
  const float n = rounded - C::kRounder;
  const float r = (x - n * C::kLn2High) - n * C::kLn2Low;
  float p = C::kQ4;
  p = p * r + C::kQ3;
  p = p * r + C::kQ2;
  p = p * r + C::kQ1;
  p = p * r + C::kQ0;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(p) +
                              (std::bit_cast<uint32_t>(rounded) << 23));
}

// A row of scores as probabilities relative to its highest score, after temperature.
struct ScaledRow {
  std::span<const float> scores;  // by token id
  float highest = 0;
  float temperature = 1;

  // 0 for the highest, negative for the others.
  float scaled(float score) const { return (score - highest) / temperature; }
  // In units of 2^-40.
  uint64_t probability(float score) const {
    return static_cast<uint64_t>(exp_of_clamped(clamp_scaled(scaled(score))) * kProbabilityUnit);
  }
};

// The sum of all probabilities of the row; at least the unit.
uint64_t sum_of_probabilities(const ScaledRow& row);

}  // namespace invar

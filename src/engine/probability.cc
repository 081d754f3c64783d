// Summing a row in pieces that stay in registers (probability.h).
#include "engine/probability.h"

#include <array>

namespace invar {

uint64_t sum_of_probabilities(const ScaledRow& row) {
  constexpr size_t kPiece = 64;
  std::array<float, kPiece> terms;
  uint64_t sum = 0;
  size_t first = 0;
  for (; first + kPiece <= row.scores.size(); first += kPiece) {
    for (size_t i = 0; i < kPiece; ++i) {
      terms[i] = clamp_scaled(row.scaled(row.scores[first + i]));
    }
    for (float& term : terms) {
      term = exp_of_clamped(term) * kProbabilityUnit;
    }
    for (const float term : terms) {
      sum += static_cast<uint64_t>(static_cast<int64_t>(term));
    }
  }
  for (; first < row.scores.size(); ++first) {
    sum += row.probability(row.scores[first]);
  }
  return sum;
}

}  // namespace invar

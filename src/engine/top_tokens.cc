// Selection with a rising cutoff (top_tokens.h).
#include "engine/top_tokens.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/error.h"

namespace invar {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// Keeps the first k of `kept` and returns the last one's score.
float keep_first(std::vector<ScoredToken>& kept, int64_t k) {
  std::nth_element(kept.begin(), kept.begin() + (k - 1), kept.end(), ranks_before);
  kept.resize(k);
  return kept.back().score;
}

float highest_score(std::span<const float> scores) {
  // Independent lanes, so that the comparisons overlap; a maximum does not depend on the order.
  constexpr size_t kLanes = 16;
  std::array<float, kLanes> highest;
  highest.fill(kLowest);
  size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float score = scores[i + lane];
      highest[lane] = score > highest[lane] ? score : highest[lane];
    }
  }
  for (; i < scores.size(); ++i) {
    highest[0] = scores[i] > highest[0] ? scores[i] : highest[0];
  }
  return *std::max_element(highest.begin(), highest.end());
}

}  // namespace

std::vector<ScoredToken> select_top(std::span<const float> scores, int64_t k) {
  INVAR_CHECK(k >= 1, "k {}", k);
  const auto wanted = static_cast<size_t>(std::min(k, static_cast<int64_t>(scores.size())));
  // Twice as many as wanted are gathered before the worse half is dropped and the cutoff rises. A
  // later token that only equals the cutoff has k better ones before it.
  const size_t gathered_max = 2 * wanted + 64;
  std::vector<ScoredToken> kept;
  kept.reserve(gathered_max);
  float cutoff = kLowest;
  for (size_t id = 0; id < scores.size(); ++id) {
    const float score = scores[id];
    const bool fills = kept.size() < wanted && score == score;
    if (score > cutoff || fills) {
      kept.push_back({.score = score, .token_id = static_cast<int32_t>(id)});
      if (kept.size() == gathered_max) {
        cutoff = keep_first(kept, static_cast<int64_t>(wanted));
      }
    }
  }
  std::sort(kept.begin(), kept.end(), ranks_before);
  kept.resize(std::min(kept.size(), wanted));
  return kept;
}

ScoredToken highest_token(std::span<const float> scores) {
  const float score = highest_score(scores);
  const auto found = std::find(scores.begin(), scores.end(), score);
  return {.score = score,
          .token_id = found == scores.end() ? 0 : static_cast<int32_t>(found - scores.begin())};
}

}  // namespace invar

// Selection by rank, then by mass (nucleus.h). Masses are whole numbers, so they can be summed in
// any order and the border does not depend on how it is searched.
#include "engine/nucleus.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/error.h"

namespace invar {
namespace {

uint64_t mass_of(const ScaledRow& row, std::span<const ScoredToken> tokens) {
  uint64_t mass = 0;
  for (const ScoredToken& token : tokens) {
    mass += row.probability(token.score);
  }
  return mass;
}

// Reorders `tokens` and returns how many of the highest it takes to reach `mass`; empty if all of
// them together do not. Halves the range in question at each turn, as a selection by rank does.
std::optional<size_t> count_to_mass(const ScaledRow& row, std::span<ScoredToken> tokens,
                                    uint64_t mass) {
  if (mass_of(row, tokens) < mass) {
    return std::nullopt;
  }
  // The first `begin` tokens rank before all others and have `before` < mass; the first `end` reach
  // the mass.
  size_t begin = 0;
  size_t end = tokens.size();
  uint64_t before = 0;
  while (end - begin > 1) {
    const size_t middle = begin + (end - begin) / 2;
    const auto at = [&](size_t index) { return tokens.begin() + static_cast<int64_t>(index); };
    std::nth_element(at(begin), at(middle), at(end), ranks_before);
    const uint64_t half = mass_of(row, tokens.subspan(begin, middle - begin));
    if (before + half >= mass) {
      end = middle;
    } else {
      before += half;
      begin = middle;
    }
  }
  return end;
}

std::vector<ScoredToken> all_tokens(const ScaledRow& row) {
  std::vector<ScoredToken> tokens;
  for (size_t id = 0; id < row.scores.size(); ++id) {
    if (row.probability(row.scores[id]) > 0) {
      tokens.push_back({.score = row.scores[id], .token_id = static_cast<int32_t>(id)});
    }
  }
  return tokens;
}

}  // namespace

std::vector<ScoredToken> select_nucleus(const ScaledRow& row, const NucleusLimits& limits) {
  const auto count = static_cast<int64_t>(row.scores.size());
  const bool by_rank = limits.top_k > 0 && limits.top_k < count;
  if (limits.top_p >= 1) {
    return by_rank ? select_top(row.scores, limits.top_k) : all_tokens(row);
  }
  std::vector<ScoredToken> tokens;
  uint64_t total = 0;
  if (by_rank) {
    tokens = select_top(row.scores, limits.top_k);
    total = mass_of(row, tokens);
  } else {
    total = sum_of_probabilities(row);
  }
  // Rounded down, so that rounding never asks for more than there is; never to nothing, so that one
  // token stays.
  const auto product = static_cast<double>(limits.top_p) * static_cast<double>(total);
  const uint64_t mass = std::clamp<uint64_t>(static_cast<uint64_t>(product), 1, total);
  std::optional<size_t> kept = count_to_mass(row, tokens, mass);
  // The nucleus of a whole vocabulary is nearly always small: look among few tokens first.
  for (const int64_t look : {int64_t{256}, int64_t{4096}, count}) {
    if (!kept) {
      tokens = look < count ? select_top(row.scores, look) : all_tokens(row);
      kept = count_to_mass(row, tokens, mass);
    }
  }
  tokens.resize(kept.value());
  return tokens;
}

}  // namespace invar

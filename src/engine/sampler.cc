// The steps of sampling, in order: bias, penalties, temperature, top_k, top_p, min_p, draw.
#include "engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/math.h"
#include "engine/gumbel.h"
#include "engine/log_softmax.h"
#include "engine/nucleus.h"

namespace invar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The winner of a draw; tokens may be offered in any order.
class Draw {
 public:
  explicit Draw(const NoiseKey& key) : key_(key) {}

  // False if a token of this scaled score cannot win, whatever its noise.
  bool can_win(float scaled) const { return !(scaled + kGumbelMax < best_.score); }

  void offer(const ScoredToken& token, uint32_t word) {
    if (token.score + gumbel_bound(word) < best_.score) {
      return;
    }
    const ScoredToken noisy{.score = token.score + gumbel(word), .token_id = token.token_id};
    if (best_.token_id < 0 || ranks_before(noisy, best_)) {
      best_ = noisy;
    }
  }

  const NoiseKey& key() const { return key_; }
  int32_t token_id() const { return best_.token_id; }

 private:
  NoiseKey key_;
  ScoredToken best_{.score = -kInfinity, .token_id = -1};
};

// What a draw chooses from: scores, and the lowest scaled score that min_p lets pass.
struct Field {
  ScaledRow row;
  float scaled_min = -kInfinity;
};

void draw_from_all(const Field& field, Draw& draw) {
  const ScaledRow& row = field.row;
  const auto count = static_cast<int32_t>(row.scores.size());
  for (int32_t first = 0; first < count; first += kNoiseGroup) {
    const int32_t end = std::min(first + kNoiseGroup, count);
    const float* group = row.scores.data() + first;
    const float highest = row.scaled(*std::max_element(group, group + (end - first)));
    if (highest < field.scaled_min || !draw.can_win(highest)) {
      continue;
    }
    const auto words = noise_words(draw.key(), first / kNoiseGroup);
    for (int32_t id = first; id < end; ++id) {
      const float scaled = row.scaled(row.scores[id]);
      if (scaled >= field.scaled_min) {
        draw.offer({.score = scaled, .token_id = id}, words[id - first]);
      }
    }
  }
}

void draw_from(std::span<const ScoredToken> tokens, const Field& field, Draw& draw) {
  for (const ScoredToken& token : tokens) {
    const float scaled = field.row.scaled(token.score);
    if (scaled >= field.scaled_min) {
      draw.offer({.score = scaled, .token_id = token.token_id},
                 noise_word(draw.key(), token.token_id));
    }
  }
}

int32_t draw_token(const ScaledRow& row, const Sampler::Args& args) {
  const SamplingParams& params = *args.params;
  const Field field{.row = row,
                    .scaled_min = params.min_p > 0 ? log_f32(params.min_p) : -kInfinity};
  Draw draw({.seed = params.seed, .choice = args.choice, .position = args.position});
  if (params.top_k == 0 && params.top_p >= 1) {
    draw_from_all(field, draw);
  } else {
    draw_from(select_nucleus(row, {.top_k = params.top_k, .top_p = params.top_p}), field, draw);
  }
  INVAR_CHECK(draw.token_id() >= 0);
  return draw.token_id();
}

void add_logprobs(std::span<const float> logits, int32_t top_logprobs, SampledToken& token) {
  const LogSoftmax log_softmax(logits);
  token.logprob = log_softmax.logprob(token.token_id);
  if (top_logprobs > 0) {
    for (const ScoredToken& top : select_top(logits, top_logprobs)) {
      token.top.push_back({.token_id = top.token_id, .logprob = log_softmax.logprob(top.token_id)});
    }
  }
}

}  // namespace

std::optional<SampledToken> score_token(std::span<const float> logits, int32_t token_id,
                                        const SamplingParams& params) {
  if (!std::isfinite(highest_token(logits).score)) {
    return std::nullopt;
  }
  SampledToken token{.token_id = token_id};
  add_logprobs(logits, params.top_logprobs, token);
  return token;
}

std::span<const float> Sampler::processed(const Args& args) {
  const SamplingParams& params = *args.params;
  const bool penalises = uses_history(params);
  if (params.logit_bias.empty() && !penalises) {
    return args.logits;
  }
  scratch_.assign(args.logits.begin(), args.logits.end());
  for (const LogitBias& entry : params.logit_bias) {
    scratch_[entry.token_id] += entry.bias;
  }
  if (penalises) {
    for (const auto& [id, count] : args.history->generated_counts()) {
      float& score = scratch_[id];
      score = score > 0 ? score / params.repetition_penalty : score * params.repetition_penalty;
      score -= params.frequency_penalty * static_cast<float>(count);
      score -= count > 0 ? params.presence_penalty : 0.0f;
    }
  }
  return scratch_;
}

std::optional<SampledToken> Sampler::sample(const Args& args) {
  const std::span<const float> scores = processed(args);
  const ScoredToken highest = highest_token(scores);
  if (!std::isfinite(highest.score)) {
    return std::nullopt;
  }
  SampledToken token{.token_id = highest.token_id};
  const SamplingParams& params = *args.params;
  if (params.temperature > 0) {
    token.token_id = draw_token(
        {.scores = scores, .highest = highest.score, .temperature = params.temperature}, args);
  }
  if (params.logprobs) {
    add_logprobs(args.logits, params.top_logprobs, token);
  }
  return token;
}

}  // namespace invar

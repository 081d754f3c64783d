// What a request must answer, computed alone: no engine, no cache, no batch. The measure for all
// tests of the engine.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/fake_runner.h"
#include "engine/request.h"

namespace invar {

struct SoloAnswer {
  std::vector<int32_t> token_ids;
  FinishReason finish = FinishReason::kNone;
};

struct SoloRules {
  int64_t vocabulary = 0;
  int64_t length_max = 0;  // tokens of prompt and answer
  std::vector<int32_t> eos_token_ids = {};
};

inline SoloAnswer solo_answer(const Request& request, int32_t choice, const SoloRules& rules) {
  SoloAnswer answer;
  std::vector<int32_t> token_ids = request.prompt;
  Sampler sampler;
  TokenHistory history;
  history.add_prompt(request.prompt);
  const auto among = [](const std::vector<int32_t>& ids, int32_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  while (answer.finish == FinishReason::kNone && std::ssize(token_ids) < rules.length_max) {
    const std::vector<float> logits = FakeRunner::logits_after(token_ids, rules.vocabulary);
    const int32_t id = sampler
                           .sample({.logits = logits,
                                    .params = &request.sampling,
                                    .history = &history,
                                    .choice = choice,
                                    .position = static_cast<int64_t>(token_ids.size())})
                           .value()
                           .token_id;
    token_ids.push_back(id);
    answer.token_ids.push_back(id);
    history.add_generated(id);
    if (among(request.stop_token_ids, id) ||
        (!request.ignore_eos && among(rules.eos_token_ids, id))) {
      answer.finish = FinishReason::kStop;
    } else if (static_cast<int64_t>(token_ids.size()) == rules.length_max) {
      answer.finish = FinishReason::kLength;
    }
  }
  return answer;
}

// The events of the prompt's tokens, from the second on.
inline std::vector<TokenEvent> solo_scores(const Request& request, int64_t vocabulary) {
  std::vector<TokenEvent> scores;
  for (size_t position = 1; position < request.prompt.size(); ++position) {
    const SampledToken token =
        score_token(FakeRunner::logits_after(std::span(request.prompt).first(position), vocabulary),
                    request.prompt[position], request.sampling)
            .value();
    scores.push_back({.token_id = token.token_id,
                      .position = static_cast<int64_t>(position),
                      .logprob = token.logprob,
                      .top_logprobs = token.top});
  }
  return scores;
}

}  // namespace invar

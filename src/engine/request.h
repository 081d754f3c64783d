// What a client asks of the engine, and what it gets back, as plain data: token ids, no text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/sampler.h"
#include "engine/sampling_params.h"

namespace invar {

struct Request {
  std::vector<int32_t> prompt = {};  // at least one token id
  SamplingParams sampling = {};
  // Tokens of each answer. Clipped to what the context and the pool can hold; an answer that ends
  // there ends by length. 0: the prompt is computed and the request finishes, without a token.
  int64_t max_tokens = 0;
  // Report the log probabilities of the prompt's tokens too; only with `sampling.logprobs`.
  bool prompt_logprobs = false;
  std::vector<int32_t> stop_token_ids = {};  // end an answer, besides the model's own
  bool ignore_eos = false;                   // the model's own end tokens are tokens like others
  int32_t choices = 1;                       // answers; they share the prompt's state
  // For a client that does not wait in next(): called by the engine's thread after each
  // step that brought events or the end. `ended`: nothing will follow. Must be quick and must not
  // throw; may be called after the handle is gone.
  std::function<void(bool ended)> on_event = {};
};

enum class FinishReason : uint8_t {
  kNone,    // the answer goes on
  kStop,    // this token is a stop token
  kLength,  // this token is the last that fits
};

// One token of one answer. Before those, where a request wants them: the prompt's tokens from the
// second on, with their log probabilities, as events of choice 0.
struct TokenEvent {
  int32_t choice = 0;
  int32_t token_id = 0;
  int64_t position = 0;  // in the sequence: an answer's first is the length of the prompt
  FinishReason finish = FinishReason::kNone;
  float logprob = 0;                            // 0 unless asked for
  std::vector<TokenLogprob> top_logprobs = {};  // empty unless asked for
};

enum class RequestOutcome : uint8_t {
  kFinished,   // every answer has its last token
  kCancelled,  // by the client, or because the engine stopped
  kFailed,     // see the message
};

// By the engine's clock, in seconds; 0 for what did not happen.
struct RequestTimes {
  double submitted = 0;
  double admitted = 0;
  double first_token = 0;
  double ended = 0;
};

// How a request ended.
struct RequestEnd {
  RequestOutcome outcome = RequestOutcome::kFinished;
  std::string message = {};  // of a failure
  int64_t generated_tokens = 0;
  RequestTimes times = {};
};

}  // namespace invar

// A running request and its sequences, as scheduler and engine see them. Belongs to the engine's
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/sequence_state.h"
#include "engine/request_state.h"
#include "engine/token_history.h"

namespace invar {

struct LiveRequest;

// One timeline of tokens: the prompt and one answer.
struct Sequence {
  Sequence(LiveRequest& owner, int32_t choice_index, SequenceState own_state)
      : request(&owner), choice(choice_index), state(std::move(own_state)) {}

  LiveRequest* request;
  int32_t choice;
  std::vector<int32_t> token_ids;
  SequenceState state;   // of fewer positions than there are tokens
  TokenHistory history;  // kept only where the sampling parameters look at it
  // The logits of all its rows are wanted. Until its first token is drawn.
  bool scores_prompt = false;

  int64_t length() const { return static_cast<int64_t>(token_ids.size()); }
  // Rows to compute before the next token can be drawn: 1 in an answer, more in a prompt.
  int64_t pending_rows() const { return length() - state.computed(); }
};

// A request that was admitted. Until its prompt is computed it has one sequence; the sequences of
// the other choices are then forked from it. Sequences that ended are removed.
struct LiveRequest {
  std::shared_ptr<RequestState> state;
  std::vector<std::unique_ptr<Sequence>> sequences = {};
  int32_t choices_to_start = 0;  // that have no sequence yet
  std::string failure = {};      // why the request cannot go on; empty: it can

  // Answers that will still give tokens.
  int64_t open_choices() const { return static_cast<int64_t>(sequences.size()) + choices_to_start; }
};

}  // namespace invar

// One request's answers as they become text: the engine's events in, pieces for the client out,
// with stop strings cut off and log probabilities spelled. Knows neither JSON nor HTTP.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/request_handle.h"
#include "server/stop_matcher.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace invar {

struct SpelledLogprob {
  std::string bytes;  // the token's; perhaps no whole characters
  float logprob = 0;
};

// A token of an answer, for clients that asked for log probabilities.
struct SpelledToken {
  SpelledLogprob token;
  std::vector<SpelledLogprob> top = {};  // the most probable first
  int64_t text_offset = 0;               // characters of the answer before it
};

// What one event adds to one answer.
struct AnswerPiece {
  int32_t choice = 0;
  std::string text = {};
  // Those whose text is in the pieces up to this one. A token that a stop string begins inside of
  // is among them, whole.
  std::vector<SpelledToken> tokens = {};
  FinishReason finish = FinishReason::kNone;  // other: the choice's last piece
};

struct ServedAnswerOptions {
  const Tokenizer* tokenizer = nullptr;  // outlives the answer
  int32_t choices = 1;
  std::vector<std::string> stop = {};
  bool logprobs = false;
};

// One thread at a time; never waits. Destroying it cancels what still runs.
class ServedAnswer {
 public:
  ServedAnswer(RequestHandle handle, const ServedAnswerOptions& options);

  // The next piece that says something; empty if there is none now, or ever when ended().
  [[nodiscard]] std::optional<AnswerPiece> next();

  // Every choice has given its last piece, or the request failed.
  bool ended() const { return open_choices_ == 0 || failed_; }
  // The engine ended the request before its answers were complete; `failure` says why.
  bool failed() const { return failed_; }
  const RequestEnd& failure() const { return handle_.end(); }

  // Tokens taken so far, with those of stop strings and end tokens.
  int64_t generated_tokens() const { return generated_tokens_; }

 private:
  struct Choice {
    Choice(const Tokenizer& tokenizer, const std::vector<std::string>& stop)
        : detokenizer(tokenizer, /*skip_special=*/true), matcher(stop) {}
    Detokenizer detokenizer;
    StopMatcher matcher;
    // Tokens whose text is not all handed out; `end`: bytes of the answer with the token's own.
    struct Pending {
      SpelledToken token;
      int64_t begin = 0;
      int64_t end = 0;
    };
    std::deque<Pending> pending;
    int64_t decoded_bytes = 0;
    int64_t decoded_characters = 0;
    int64_t sent_bytes = 0;
    bool open = true;
  };

  AnswerPiece take(const TokenEvent& event);
  void add_token(Choice& choice, const TokenEvent& event, AnswerPiece& piece);
  void add_text(Choice& choice, const std::string& text, AnswerPiece& piece);
  void release_tokens(Choice& choice, AnswerPiece& piece) const;

  RequestHandle handle_;
  const Tokenizer& tokenizer_;
  bool logprobs_;
  std::vector<Choice> choices_;
  int32_t open_choices_;
  bool failed_ = false;
  int64_t generated_tokens_ = 0;
};

}  // namespace invar

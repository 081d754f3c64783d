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

// A token of an answer or of an echoed prompt, for clients that asked for log probabilities.
struct SpelledToken {
  SpelledLogprob token;
  std::vector<SpelledLogprob> top = {};  // the most probable first
  // Characters of the text before those that the token begins: of a character that several tokens
  // spell, its first.
  int64_t text_offset = 0;
  bool has_logprob = true;  // the first token of a prompt follows nothing, so it has none
};

// What one event adds to one answer.
struct AnswerPiece {
  int32_t choice = 0;
  std::string text = {};
  // Those whose text is in the pieces up to this one; special tokens and end tokens have none. A
  // token that a stop string begins inside of is among them, whole.
  std::vector<SpelledToken> tokens = {};
  FinishReason finish = FinishReason::kNone;  // other: the choice's last piece
};

// How the text of an answer begins.
enum class AnswerText {
  kAfresh,     // as a text of its own
  kContinued,  // where the prompt's text ends
  kEchoed,     // with the prompt's text
};

struct ServedAnswerOptions {
  const Tokenizer* tokenizer = nullptr;  // outlives the answer
  int32_t choices = 1;
  std::vector<std::string> stop = {};  // looked for in what follows the prompt
  bool logprobs = false;
  AnswerText text = AnswerText::kAfresh;
  std::vector<int32_t> prompt = {};  // of the request; not looked at if kAfresh
};

// One thread at a time; never waits. Destroying it cancels what still runs.
class ServedAnswer {
 public:
  ServedAnswer(RequestHandle handle, const ServedAnswerOptions& options);

  // The next piece that says something; empty if there is none now, or ever when ended().
  [[nodiscard]] std::optional<AnswerPiece> next();

  // Every choice has given its last piece, or the request failed.
  bool ended() const { return ready_.empty() && (open_choices_ == 0 || failed_); }
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
    // Tokens whose text is not all handed out; `end`: bytes of the text with the token's own.
    struct Pending {
      SpelledToken token;
      int64_t begin = 0;
      int64_t end = 0;
      // What would stand between `text_offset` and the token, had the text ended before it: bytes
      // that wait for their character. Counted as far as the text comes out so.
      std::string held = {};
    };
    std::deque<Pending> pending;
    int64_t token_offset = 0;  // of the last token handed out
    int64_t decoded_bytes = 0;
    int64_t decoded_characters = 0;
    int64_t sent_bytes = 0;
    bool open = true;
  };

  void begin_text(const ServedAnswerOptions& options);
  void end_request();
  void take_prompt_token(const SpelledToken& token, int32_t token_id);
  AnswerPiece take(const TokenEvent& event);
  void end_choice(Choice& choice, AnswerPiece& piece);
  SpelledToken spelled(const TokenEvent& event) const;
  static void add_pending(Choice& choice, SpelledToken token);
  static void add_text(Choice& choice, const std::string& text, AnswerPiece& piece);
  static void add_echo(Choice& choice, const std::string& text, AnswerPiece& piece);
  static void count_text(Choice& choice, const std::string& text);
  static void release_tokens(Choice& choice, AnswerPiece& piece);

  RequestHandle handle_;
  const Tokenizer& tokenizer_;
  bool logprobs_;
  std::vector<Choice> choices_;
  int32_t open_choices_;
  int64_t scored_prompt_tokens_ = 0;  // events of positions below are the prompt's
  std::deque<AnswerPiece> ready_;     // that no event of their own brings
  bool failed_ = false;
  int64_t generated_tokens_ = 0;
};

}  // namespace invar

// From events to pieces (answer.h).
#include "server/answer.h"

#include <algorithm>
#include <utility>

#include "text/utf8.h"

namespace invar {
namespace {

// Of valid UTF-8: bytes that do not continue a character.
int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; });
}

// Takes from both what they begin with alike, by whole characters; returns how many. What is left
// of `held` can no longer come if text is left too.
int64_t take_alike(std::string& held, std::string_view text) {
  int64_t characters = 0;
  while (!held.empty() && !text.empty()) {
    const size_t bytes = utf8_step(held).size;
    if (!text.starts_with(std::string_view(held).substr(0, bytes))) {
      held.clear();
      break;
    }
    held.erase(0, bytes);
    text.remove_prefix(bytes);
    characters += 1;
  }
  return characters;
}

bool says_something(const AnswerPiece& piece) {
  return !piece.text.empty() || !piece.tokens.empty() || piece.finish != FinishReason::kNone;
}

}  // namespace

ServedAnswer::ServedAnswer(RequestHandle handle, const ServedAnswerOptions& options)
    : handle_(std::move(handle)),
      tokenizer_(*options.tokenizer),
      logprobs_(options.logprobs),
      choices_(static_cast<size_t>(options.choices), Choice(*options.tokenizer, options.stop)),
      open_choices_(options.choices) {
  begin_text(options);
}

void ServedAnswer::begin_text(const ServedAnswerOptions& options) {
  if (options.text == AnswerText::kAfresh) {
    return;
  }
  if (options.text == AnswerText::kEchoed && logprobs_) {
    scored_prompt_tokens_ = static_cast<int64_t>(options.prompt.size());
    const int32_t first = options.prompt.front();
    take_prompt_token({.token = {.bytes = tokenizer_.token_bytes(first)}, .has_logprob = false},
                      first);
    return;
  }
  Detokenizer& detokenizer = choices_.front().detokenizer;
  std::string text;
  for (const int32_t id : options.prompt) {
    text += detokenizer.push(id);
  }
  for (size_t i = 0; i < choices_.size(); ++i) {
    choices_[i].detokenizer = detokenizer;
    if (options.text == AnswerText::kEchoed) {
      ready_.push_back({.choice = static_cast<int32_t>(i)});
      add_echo(choices_[i], text, ready_.back());
    }
  }
}

std::optional<AnswerPiece> ServedAnswer::next() {
  while (!ended()) {
    if (!ready_.empty()) {
      AnswerPiece piece = std::move(ready_.front());
      ready_.pop_front();
      return piece;
    }
    const std::optional<TokenEvent> event = handle_.try_next();
    if (!event && !handle_.ended()) {
      return std::nullopt;
    }
    if (!event) {
      end_request();
      continue;
    }
    if (event->position < scored_prompt_tokens_) {
      take_prompt_token(spelled(*event), event->token_id);
      continue;
    }
    if (!choices_[static_cast<size_t>(event->choice)].open) {
      continue;  // drawn before the engine knew that a stop string had ended this choice
    }
    AnswerPiece piece = take(*event);
    if (says_something(piece)) {
      return piece;
    }
  }
  return std::nullopt;
}

// Without a last token of each choice: one that failed, or one that asked for no tokens.
void ServedAnswer::end_request() {
  failed_ = handle_.end().outcome != RequestOutcome::kFinished;
  for (size_t i = 0; i < choices_.size() && !failed_; ++i) {
    if (choices_[i].open) {
      ready_.push_back({.choice = static_cast<int32_t>(i), .finish = FinishReason::kLength});
      end_choice(choices_[i], ready_.back());
    }
  }
}

// The choices share the prompt, so each of them begins with its tokens.
void ServedAnswer::take_prompt_token(const SpelledToken& token, int32_t token_id) {
  for (size_t i = 0; i < choices_.size(); ++i) {
    Choice& choice = choices_[i];
    AnswerPiece piece{.choice = static_cast<int32_t>(i)};
    add_pending(choice, token);
    add_echo(choice, choice.detokenizer.push(token_id), piece);
    choice.pending.back().end = choice.decoded_bytes;
    release_tokens(choice, piece);
    if (says_something(piece)) {
      ready_.push_back(std::move(piece));
    }
  }
}

AnswerPiece ServedAnswer::take(const TokenEvent& event) {
  Choice& choice = choices_[static_cast<size_t>(event.choice)];
  AnswerPiece piece{.choice = event.choice, .finish = event.finish};
  generated_tokens_ += 1;
  if (logprobs_) {
    add_pending(choice, spelled(event));
  }
  // A stop token ends the text and is no part of it.
  if (event.finish != FinishReason::kStop) {
    add_text(choice, choice.detokenizer.push(event.token_id), piece);
  }
  if (logprobs_) {
    choice.pending.back().end = choice.decoded_bytes;
  }
  if (event.finish != FinishReason::kNone || choice.matcher.stopped()) {
    end_choice(choice, piece);
    if (event.finish == FinishReason::kNone) {
      handle_.stop_choice(event.choice);
    }
  } else {
    release_tokens(choice, piece);
  }
  return piece;
}

// Its last piece: what was held back comes, unless a stop string ended the text before it.
void ServedAnswer::end_choice(Choice& choice, AnswerPiece& piece) {
  if (!choice.matcher.stopped()) {
    add_text(choice, choice.detokenizer.flush(), piece);
  }
  if (!choice.matcher.stopped()) {
    piece.text += choice.matcher.flush();
    choice.sent_bytes = choice.decoded_bytes;
  }
  if (choice.matcher.stopped()) {
    piece.finish = FinishReason::kStop;
  }
  for (Choice::Pending& pending : choice.pending) {
    pending.held.clear();
  }
  release_tokens(choice, piece);
  choice.open = false;
  open_choices_ -= 1;
}

SpelledToken ServedAnswer::spelled(const TokenEvent& event) const {
  SpelledToken token{
      .token = {.bytes = tokenizer_.token_bytes(event.token_id), .logprob = event.logprob}};
  for (const TokenLogprob& top : event.top_logprobs) {
    token.top.push_back({tokenizer_.token_bytes(top.token_id), top.logprob});
  }
  return token;
}

void ServedAnswer::add_pending(Choice& choice, SpelledToken token) {
  token.text_offset = choice.decoded_characters;
  Detokenizer ended = choice.detokenizer;
  choice.pending.push_back(
      {.token = std::move(token), .begin = choice.decoded_bytes, .held = ended.flush()});
}

void ServedAnswer::add_text(Choice& choice, const std::string& text, AnswerPiece& piece) {
  count_text(choice, text);
  const std::string certain = choice.matcher.push(text);
  choice.sent_bytes += static_cast<int64_t>(certain.size());
  piece.text += certain;
}

// No stop string is looked for in the prompt.
void ServedAnswer::add_echo(Choice& choice, const std::string& text, AnswerPiece& piece) {
  count_text(choice, text);
  choice.sent_bytes = choice.decoded_bytes;
  piece.text += text;
}

void ServedAnswer::count_text(Choice& choice, const std::string& text) {
  choice.decoded_bytes += static_cast<int64_t>(text.size());
  choice.decoded_characters += count_characters(text);
  for (Choice::Pending& pending : choice.pending) {
    pending.token.text_offset += take_alike(pending.held, text);
  }
}

void ServedAnswer::release_tokens(Choice& choice, AnswerPiece& piece) {
  const bool stopped = choice.matcher.stopped();
  while (!choice.pending.empty()) {
    Choice::Pending& next = choice.pending.front();
    const bool sent = stopped ? next.begin < choice.sent_bytes : next.end <= choice.sent_bytes;
    if (!sent || !next.held.empty()) {
      return;
    }
    choice.token_offset = std::max(choice.token_offset, next.token.text_offset);
    next.token.text_offset = choice.token_offset;
    piece.tokens.push_back(std::move(next.token));
    choice.pending.pop_front();
  }
}

}  // namespace invar

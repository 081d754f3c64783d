// From events to pieces (answer.h).
#include "server/answer.h"

#include <algorithm>
#include <utility>

namespace invar {
namespace {

// Of valid UTF-8: bytes that do not continue a character.
int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; });
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
      open_choices_(options.choices) {}

std::optional<AnswerPiece> ServedAnswer::next() {
  while (!ended()) {
    const std::optional<TokenEvent> event = handle_.try_next();
    if (!event) {
      failed_ = handle_.ended();
      return std::nullopt;
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

AnswerPiece ServedAnswer::take(const TokenEvent& event) {
  Choice& choice = choices_[static_cast<size_t>(event.choice)];
  AnswerPiece piece{.choice = event.choice, .finish = event.finish};
  generated_tokens_ += 1;
  // A stop token ends the text and is no part of it.
  if (event.finish != FinishReason::kStop) {
    add_token(choice, event, piece);
  }
  if (event.finish != FinishReason::kNone && !choice.matcher.stopped()) {
    add_text(choice, choice.detokenizer.flush(), piece);
    if (!choice.matcher.stopped()) {
      piece.text += choice.matcher.flush();
      choice.sent_bytes = choice.decoded_bytes;
    }
  }
  if (choice.matcher.stopped()) {
    piece.finish = FinishReason::kStop;
  }
  release_tokens(choice, piece);
  if (piece.finish != FinishReason::kNone) {
    choice.open = false;
    open_choices_ -= 1;
    if (event.finish == FinishReason::kNone) {
      handle_.stop_choice(event.choice);
    }
  }
  return piece;
}

void ServedAnswer::add_token(Choice& choice, const TokenEvent& event, AnswerPiece& piece) {
  Choice::Pending pending;
  if (logprobs_) {
    pending.token.token = {tokenizer_.token_bytes(event.token_id), event.logprob};
    for (const TokenLogprob& top : event.top_logprobs) {
      pending.token.top.push_back({tokenizer_.token_bytes(top.token_id), top.logprob});
    }
    pending.token.text_offset = choice.decoded_characters;
  }
  pending.begin = choice.decoded_bytes;
  add_text(choice, choice.detokenizer.push(event.token_id), piece);
  pending.end = choice.decoded_bytes;
  if (logprobs_) {
    choice.pending.push_back(std::move(pending));
  }
}

void ServedAnswer::add_text(Choice& choice, const std::string& text, AnswerPiece& piece) {
  choice.decoded_bytes += static_cast<int64_t>(text.size());
  choice.decoded_characters += count_characters(text);
  const std::string certain = choice.matcher.push(text);
  choice.sent_bytes += static_cast<int64_t>(certain.size());
  piece.text += certain;
}

void ServedAnswer::release_tokens(Choice& choice, AnswerPiece& piece) const {
  const bool stopped = choice.matcher.stopped();
  while (!choice.pending.empty()) {
    Choice::Pending& next = choice.pending.front();
    const bool sent = stopped ? next.begin < choice.sent_bytes : next.end <= choice.sent_bytes;
    if (!sent) {
      return;
    }
    piece.tokens.push_back(std::move(next.token));
    choice.pending.pop_front();
  }
}

}  // namespace invar

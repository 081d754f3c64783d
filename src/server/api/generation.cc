// The task of a generation (generation.h).
#include "server/api/generation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/sse.h"

namespace invar {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Enough for one write; the connection asks again after it.
constexpr size_t kOutputBytes = size_t{64} << 10;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

ApiError failure_error(const RequestEnd& end) {
  if (end.outcome == RequestOutcome::kCancelled) {
    return stopping_error();
  }
  return {.status = 500, .message = end.message};
}

struct TaskParts {
  const ApiContext* context;
  GenerationFields fields;
  std::unique_ptr<AnswerForm> form;
  int64_t prompt_tokens;
  uint64_t seed;
  std::vector<ServedAnswer> answers;  // by prompt
};

class GenerationTask final : public HttpTask {
 public:
  explicit GenerationTask(TaskParts parts)
      : context_(*parts.context),
        fields_(std::move(parts.fields)),
        form_(std::move(parts.form)),
        prompt_tokens_(parts.prompt_tokens),
        seed_(parts.seed),
        answers_(std::move(parts.answers)),
        id_(fmt::format("{}{:016x}{:016x}", form_->names().id_prefix, context_.random(),
                        context_.random())),
        created_(std::time(nullptr)) {
    const auto choices = static_cast<int32_t>(std::ssize(answers_) * fields_.choices);
    for (int32_t choice = 0; choice < choices; ++choice) {
      whole_.push_back({.choice = choice});
    }
  }

  HttpOutput poll() override { return fields_.stream ? poll_stream() : poll_whole(); }

  HttpOutput interrupt() override {
    if (opened_) {
      return {.bytes = error_event(stopping_error()), .ended = true};
    }
    return {.reply = error_reply(stopping_error()), .bytes = {}, .ended = true};
  }

 private:
  HttpOutput poll_whole() {
    while (std::optional<AnswerPiece> piece = next()) {
      AnswerPiece& whole = whole_[static_cast<size_t>(piece->choice)];
      whole.text += piece->text;
      whole.finish = piece->finish;
      std::move(piece->tokens.begin(), piece->tokens.end(), std::back_inserter(whole.tokens));
    }
    if (const ServedAnswer* failed = find_failed()) {
      return {.reply = error_reply(failure_error(failed->failure())), .bytes = {}, .ended = true};
    }
    if (!ended()) {
      return {};
    }
    Json choices = Json::array();
    for (const AnswerPiece& choice : whole_) {
      choices.push_back(form_->whole(choice));
    }
    Json body = envelope(form_->names().object, std::move(choices));
    body["seed"] = seed_;
    body["usage"] = usage();
    observe_end();
    return {.reply = HttpReply{.body = dump_json(body)}, .bytes = {}, .ended = true};
  }

  HttpOutput poll_stream() {
    HttpOutput output;
    if (!opened_) {
      opened_ = true;
      output.reply = HttpReply{.content_type = std::string(kEventStreamType),
                               .headers = {{.name = "Cache-Control", .value = "no-cache"}},
                               .filler = std::string(kEmptyEvent)};
      for (const AnswerPiece& choice : whole_) {
        if (std::optional<Json> opening = form_->opening(choice.choice)) {
          output.bytes += event(*opening);
        }
      }
      return output;
    }
    while (output.bytes.size() < kOutputBytes) {
      const std::optional<AnswerPiece> piece = next();
      if (!piece) {
        break;
      }
      output.bytes += event(form_->streamed(*piece));
    }
    if (const ServedAnswer* failed = find_failed()) {
      output.bytes += error_event(failure_error(failed->failure()));
      output.ended = true;
    } else if (ended()) {
      output.bytes += last_events();
      output.ended = true;
    }
    output.paced = first_token_seen_;
    return output;
  }

  // The last one of a stream that is not whole: no [DONE] follows.
  static std::string error_event(const ApiError& error) {
    return sse_event(dump_json(error_json(error)));
  }

  std::string last_events() {
    observe_end();
    std::string events;
    if (fields_.include_usage) {
      Json chunk = envelope(form_->names().stream_object, Json::array());
      chunk["seed"] = seed_;
      chunk["usage"] = usage();
      events = sse_event(dump_json(chunk));
    }
    return events + std::string(kDoneEvent);
  }

  // Of the answers in turn, so that none waits for another's end.
  std::optional<AnswerPiece> next() {
    for (size_t tried = 0; tried < answers_.size(); ++tried) {
      const size_t prompt = turn_;
      turn_ = (turn_ + 1) % answers_.size();
      if (std::optional<AnswerPiece> piece = answers_[prompt].next()) {
        if (!first_token_seen_ && answers_[prompt].generated_tokens() > 0) {
          first_token_seen_ = true;
          context_.metrics->observe_first_token(seconds_since(begin_));
        }
        piece->choice += static_cast<int32_t>(prompt) * fields_.choices;
        return piece;
      }
    }
    return std::nullopt;
  }

  bool ended() const {
    return std::ranges::all_of(answers_, [](const ServedAnswer& each) { return each.ended(); });
  }

  const ServedAnswer* find_failed() const {
    const auto found = std::ranges::find_if(answers_, &ServedAnswer::failed);
    return found == answers_.end() ? nullptr : &*found;
  }

  int64_t generated_tokens() const {
    int64_t sum = 0;
    for (const ServedAnswer& answer : answers_) {
      sum += answer.generated_tokens();
    }
    return sum;
  }

  void observe_end() {
    context_.metrics->observe_answer(seconds_since(begin_));
    context_.metrics->count_tokens(prompt_tokens_, generated_tokens());
  }

  // The envelope of a stream's chunks is rendered once.
  std::string event(const Json& choice) {
    if (chunk_begin_.empty()) {
      std::string envelope = dump_json(this->envelope(form_->names().stream_object, Json::array()));
      envelope.resize(envelope.size() - std::string_view("]}").size());
      chunk_begin_ = std::move(envelope);
    }
    return sse_event(chunk_begin_ + dump_json(choice) +
                     (fields_.include_usage ? R"(],"usage":null})" : "]}"));
  }

  Json envelope(std::string_view object, Json choices) const {
    Json body;
    body["id"] = id_;
    body["object"] = object;
    body["created"] = created_;
    body["model"] = context_.model.id;
    body["system_fingerprint"] = context_.model.fingerprint;
    body["choices"] = std::move(choices);
    return body;
  }

  Json usage() const {
    const int64_t generated = generated_tokens();
    return {{"prompt_tokens", prompt_tokens_},
            {"completion_tokens", generated},
            {"total_tokens", prompt_tokens_ + generated}};
  }

  const ApiContext& context_;
  const GenerationFields fields_;
  const std::unique_ptr<AnswerForm> form_;
  const int64_t prompt_tokens_;
  const uint64_t seed_;
  std::vector<ServedAnswer> answers_;  // by prompt
  size_t turn_ = 0;                    // the prompt whose answer is asked next
  const std::string id_;
  const std::time_t created_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<AnswerPiece> whole_;  // by index
  std::string chunk_begin_;         // up to its choice
  bool opened_ = false;
  bool first_token_seen_ = false;
};

std::optional<ApiError> refuse_length(const ServedModel& model, const std::string& field,
                                      const std::vector<int32_t>& prompt, int64_t choices) {
  const auto tokens = static_cast<int64_t>(prompt.size());
  if (tokens == 0) {
    return ApiError{.message = fmt::format("{}: expected at least 1 token, found none", field),
                    .param = field,
                    .code = "invalid_value"};
  }
  if (tokens + 1 > model.context_positions) {
    return ApiError{
        .message = fmt::format("{}: {} tokens and at least 1 of the answer do not fit in the "
                               "model's context of {} tokens",
                               field, tokens, model.context_positions),
        .param = field,
        .code = "context_length_exceeded"};
  }
  const int64_t tokens_max = model.engine->prompt_tokens_max(choices);
  if (tokens > tokens_max) {
    return ApiError{.message = fmt::format("{}: {} tokens are more than the {} that the server can "
                                           "hold with {} answer(s) (its --kv-positions)",
                                           field, tokens, tokens_max, choices),
                    .param = field,
                    .code = "context_length_exceeded"};
  }
  return std::nullopt;
}

std::optional<ApiError> refuse_submitted(SubmitStatus status) {
  switch (status) {
    case SubmitStatus::kQueueFull:
      return ApiError{.status = 429,
                      .message = "the queue of requests is full: try again later",
                      .headers = {{.name = "Retry-After", .value = "1"}}};
    case SubmitStatus::kStopping:
      return stopping_error();
    case SubmitStatus::kAccepted:
      break;
  }
  return std::nullopt;
}

Request make_request(const GenerationStart& start, const ApiCall& call,
                     const std::vector<int32_t>& prompt, uint64_t seed) {
  const GenerationFields& fields = start.fields;
  Request request{
      .prompt = prompt,
      .sampling = fields.sampling,
      .max_tokens = fields.max_tokens.value_or(start.max_tokens_default),
      .prompt_logprobs = start.text == AnswerText::kEchoed && fields.sampling.logprobs,
      .ignore_eos = fields.ignore_eos,
      .choices = fields.choices,
      .on_event = [wake = call.wake](bool ended) { wake(ended ? News::kLast : News::kMore); }};
  request.sampling.seed = seed;
  return request;
}

}  // namespace

std::string prompt_name(std::string_view field, size_t count, size_t index) {
  return count == 1 ? std::string(field) : fmt::format("{}[{}]", field, index);
}

std::unique_ptr<HttpTask> start_generation(const ApiContext& context, ApiCall& call,
                                           GenerationStart start) {
  const size_t count = start.prompts.size();
  int64_t prompt_tokens = 0;
  for (size_t i = 0; i < count; ++i) {
    if (const auto refused = refuse_length(context.model, prompt_name(start.prompt_field, count, i),
                                           start.prompts[i], start.fields.choices)) {
      return ready_error(*refused);
    }
    prompt_tokens += static_cast<int64_t>(start.prompts[i].size());
  }
  const GenerationFields& fields = start.fields;
  // Seeds that are drawn have 53 bits, so that any JSON reader gets them back exactly.
  const uint64_t seed = fields.seed ? *fields.seed : context.random() >> 11;
  // Where a later prompt is refused, their end cancels those that were queued.
  std::vector<ServedAnswer> answers;
  for (size_t i = 0; i < count; ++i) {
    call.blame = prompt_name(start.prompt_field, count, i);
    SubmitResult submitted =
        context.model.engine->submit(make_request(start, call, start.prompts[i], seed));
    if (const auto refused = refuse_submitted(submitted.status)) {
      return ready_error(*refused);
    }
    answers.emplace_back(std::move(*submitted.handle),
                         ServedAnswerOptions{.tokenizer = &context.model.text->tokenizer,
                                             .choices = fields.choices,
                                             .stop = fields.stop,
                                             .logprobs = fields.sampling.logprobs,
                                             .text = start.text,
                                             .prompt = std::move(start.prompts[i])});
  }
  return std::make_unique<GenerationTask>(TaskParts{.context = &context,
                                                    .fields = std::move(start.fields),
                                                    .form = std::move(start.form),
                                                    .prompt_tokens = prompt_tokens,
                                                    .seed = seed,
                                                    .answers = std::move(answers)});
}

nlohmann::ordered_json finish_json(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kNone:
      break;
  }
  return nullptr;
}

}  // namespace invar

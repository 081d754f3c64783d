// The task of a generation (generation.h).
#include "server/api/generation.h"

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
    return {.status = 503, .message = "the server is stopping"};
  }
  return {.status = 500, .message = end.message};
}

struct TaskParts {
  const ApiContext* context;
  GenerationFields fields;
  std::unique_ptr<AnswerForm> form;
  int64_t prompt_tokens;
  uint64_t seed;
  RequestHandle handle;
};

class GenerationTask final : public HttpTask {
 public:
  explicit GenerationTask(TaskParts parts)
      : context_(*parts.context),
        fields_(std::move(parts.fields)),
        form_(std::move(parts.form)),
        prompt_tokens_(parts.prompt_tokens),
        seed_(parts.seed),
        answer_(std::move(parts.handle), {.tokenizer = &context_.model.text->tokenizer,
                                          .choices = fields_.choices,
                                          .stop = fields_.stop,
                                          .logprobs = fields_.sampling.logprobs}),
        id_(fmt::format("{}{:016x}{:016x}", form_->names().id_prefix, context_.random(),
                        context_.random())),
        created_(std::time(nullptr)) {
    for (int32_t choice = 0; choice < fields_.choices; ++choice) {
      whole_.push_back({.choice = choice});
    }
  }

  HttpOutput poll() override { return fields_.stream ? poll_stream() : poll_whole(); }

 private:
  HttpOutput poll_whole() {
    while (std::optional<AnswerPiece> piece = next()) {
      AnswerPiece& whole = whole_[static_cast<size_t>(piece->choice)];
      whole.text += piece->text;
      whole.finish = piece->finish;
      std::move(piece->tokens.begin(), piece->tokens.end(), std::back_inserter(whole.tokens));
    }
    if (!answer_.ended()) {
      return {};
    }
    if (answer_.failed()) {
      return {.reply = error_reply(failure_error(answer_.failure())), .bytes = {}, .ended = true};
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
                               .headers = {{.name = "Cache-Control", .value = "no-cache"}}};
      for (int32_t choice = 0; choice < fields_.choices; ++choice) {
        if (std::optional<Json> opening = form_->opening(choice)) {
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
    if (answer_.ended()) {
      output.bytes += last_events();
      output.ended = true;
    }
    output.paced = answer_.generated_tokens() > 0;
    return output;
  }

  std::string last_events() {
    if (answer_.failed()) {
      return sse_event(dump_json(error_json(failure_error(answer_.failure()))));
    }
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

  std::optional<AnswerPiece> next() {
    std::optional<AnswerPiece> piece = answer_.next();
    if (!first_token_seen_ && answer_.generated_tokens() > 0) {
      first_token_seen_ = true;
      context_.metrics->observe_first_token(seconds_since(begin_));
    }
    return piece;
  }

  void observe_end() {
    context_.metrics->observe_answer(seconds_since(begin_));
    context_.metrics->count_tokens(prompt_tokens_, answer_.generated_tokens());
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
    const int64_t generated = answer_.generated_tokens();
    return {{"prompt_tokens", prompt_tokens_},
            {"completion_tokens", generated},
            {"total_tokens", prompt_tokens_ + generated}};
  }

  const ApiContext& context_;
  const GenerationFields fields_;
  const std::unique_ptr<AnswerForm> form_;
  const int64_t prompt_tokens_;
  const uint64_t seed_;
  ServedAnswer answer_;
  const std::string id_;
  const std::time_t created_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<AnswerPiece> whole_;  // by choice
  std::string chunk_begin_;         // up to its choice
  bool opened_ = false;
  bool first_token_seen_ = false;
};

std::optional<ApiError> refuse_length(const ServedModel& model, const GenerationStart& start) {
  const auto tokens = static_cast<int64_t>(start.prompt.size());
  if (tokens == 0) {
    return ApiError{
        .message = fmt::format("{}: expected at least 1 token, found none", start.prompt_field),
        .param = start.prompt_field,
        .code = "invalid_value"};
  }
  if (tokens + 1 > model.context_positions) {
    return ApiError{
        .message = fmt::format("{}: {} tokens and at least 1 of the answer do not fit in the "
                               "model's context of {} tokens",
                               start.prompt_field, tokens, model.context_positions),
        .param = start.prompt_field,
        .code = "context_length_exceeded"};
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<HttpTask> start_generation(const ApiContext& context, const ApiCall& call,
                                           GenerationStart start) {
  if (const std::optional<ApiError> refused = refuse_length(context.model, start)) {
    return ready_error(*refused);
  }
  const GenerationFields& fields = start.fields;
  // Seeds that are drawn have 53 bits, so that any JSON reader gets them back exactly.
  const uint64_t seed = fields.seed ? *fields.seed : context.random() >> 11;
  const auto prompt_tokens = static_cast<int64_t>(start.prompt.size());
  Request request{
      .prompt = std::move(start.prompt),
      .sampling = fields.sampling,
      .max_tokens = fields.max_tokens.value_or(start.max_tokens_default),
      .ignore_eos = fields.ignore_eos,
      .choices = fields.choices,
      .on_event = [wake = call.wake](bool ended) { wake(ended ? News::kLast : News::kMore); }};
  request.sampling.seed = seed;
  SubmitResult submitted = context.model.engine->submit(std::move(request));
  switch (submitted.status) {
    case SubmitStatus::kQueueFull:
      return ready_error({.status = 429,
                          .message = "the queue of requests is full: try again later",
                          .headers = {{.name = "Retry-After", .value = "1"}}});
    case SubmitStatus::kStopping:
      return ready_error({.status = 503, .message = "the server is stopping"});
    case SubmitStatus::kAccepted:
      break;
  }
  return std::make_unique<GenerationTask>(TaskParts{.context = &context,
                                                    .fields = std::move(start.fields),
                                                    .form = std::move(start.form),
                                                    .prompt_tokens = prompt_tokens,
                                                    .seed = seed,
                                                    .handle = std::move(*submitted.handle)});
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

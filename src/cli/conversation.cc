// See conversation.h.
#include "cli/conversation.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "core/error.h"
#include "formats/printable.h"
#include "text/detokenizer.h"

namespace invar {
namespace {

constexpr auto kPollTime = std::chrono::milliseconds(50);

nlohmann::ordered_json message(std::string_view role, std::string content) {
  return {{"role", role}, {"content", std::move(content)}};
}

std::string found(const nlohmann::ordered_json& value) {
  return value.is_string() ? fmt::format("'{}'", printable(value.get<std::string>(), 80))
                           : fmt::format("{}", value.type_name());
}

// {"role": one of three, "content": a string}, and nothing that a chat would lose.
void check_message(const std::string& place, const nlohmann::ordered_json& each) {
  if (!each.is_object()) {
    fail(Code::kBadArgument, "{}: expected an object with 'role' and 'content', found {}", place,
         found(each));
  }
  for (const std::string_view field : {"role", "content"}) {
    if (!each.contains(field)) {
      fail(Code::kBadArgument, "{}.{}: expected a string, found nothing", place, field);
    }
    if (!each[field].is_string()) {
      fail(Code::kBadArgument, "{}.{}: expected a string, found {}", place, field,
           found(each[field]));
    }
  }
  const auto& role = each["role"].get_ref<const std::string&>();
  if (role != "system" && role != "user" && role != "assistant") {
    fail(Code::kBadArgument, "{}.role: expected 'system', 'user' or 'assistant', found {}", place,
         found(each["role"]));
  }
  for (const auto& [field, value] : each.items()) {
    if (field != "role" && field != "content") {
      fail(Code::kUnsupported, "{}.{}: expected 'role' and 'content' only", place,
           printable(field, 80));
    }
  }
}

// Removes the last message unless the exchange was completed.
class Rollback {
 public:
  explicit Rollback(nlohmann::ordered_json& messages)
      : messages_(messages), size_(messages.size()) {}
  ~Rollback() {
    while (!kept_ && messages_.size() > size_) {
      messages_.erase(messages_.size() - 1);
    }
  }
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;
  void keep() { kept_ = true; }

 private:
  nlohmann::ordered_json& messages_;
  size_t size_;
  bool kept_ = false;
};

}  // namespace

void Conversation::set_system(std::string content) {
  const bool has_system = !messages_.empty() && messages_[0]["role"] == "system";
  if (has_system) {
    messages_.erase(0);
  }
  if (!content.empty()) {
    messages_.insert(messages_.begin(), message("system", std::move(content)));
  }
}

void Conversation::reset() {
  const bool has_system = !messages_.empty() && messages_[0]["role"] == "system";
  while (messages_.size() > (has_system ? 1 : 0)) {
    messages_.erase(messages_.size() - 1);
  }
}

void Conversation::set_messages(const std::string& label, nlohmann::ordered_json messages) {
  if (!messages.is_array()) {
    fail(Code::kBadArgument, "{}: expected a list of messages, found {}", label,
         messages.type_name());
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    check_message(fmt::format("{}: messages[{}]", label, i), messages[i]);
  }
  messages_ = std::move(messages);
}

std::vector<int32_t> Conversation::prompt_ids() const {
  if (!text_.chat_template) {
    const std::string last = messages_.back()["content"].get<std::string>();
    return text_.tokenizer.encode(last, {.add_special_tokens = true});
  }
  ChatTemplate::Request request;
  request.messages = messages_;
  request.now = local_civil_time(std::time(nullptr));
  // The template writes the special tokens itself.
  return text_.tokenizer.encode(text_.chat_template->render(request));
}

Answer Conversation::ask(std::string user, const AnswerOptions& options,
                         const Callbacks& callbacks) {
  Rollback rollback(messages_);
  messages_.push_back(message("user", std::move(user)));
  Request request{.prompt = prompt_ids(), .sampling = options.sampling};
  request.max_tokens = options.max_tokens;
  Answer answer;
  answer.prompt_tokens = static_cast<int64_t>(request.prompt.size());

  SubmitResult submitted = engine_.submit(std::move(request));
  if (!submitted.handle) {
    fail(Code::kExhausted, "engine: the request was refused");
  }
  RequestHandle& handle = *submitted.handle;
  Detokenizer detokenizer(text_.tokenizer, /*skip_special=*/true);
  auto emit = [&](const std::string& piece) {
    answer.text += piece;
    if (!piece.empty()) {
      callbacks.on_text(piece);
    }
  };
  while (!handle.ended()) {
    if (callbacks.interrupted()) {
      answer.end = AnswerEnd::kInterrupted;
      handle.cancel();
      break;
    }
    const std::optional<TokenEvent> event = handle.next(kPollTime);
    if (!event) {
      continue;
    }
    answer.answer_tokens += 1;
    answer.end = event->finish == FinishReason::kLength ? AnswerEnd::kLength : AnswerEnd::kStop;
    if (event->finish != FinishReason::kStop) {
      emit(detokenizer.push(event->token_id));
    }
  }
  emit(detokenizer.flush());
  if (answer.end != AnswerEnd::kInterrupted) {
    const RequestEnd& end = handle.end();
    if (end.outcome == RequestOutcome::kFailed) {
      fail(Code::kExhausted, "engine: {}", end.message);
    }
    answer.first_token_seconds = end.times.first_token - end.times.submitted;
    answer.seconds = end.times.ended - end.times.submitted;
  }
  if (answer.end != AnswerEnd::kInterrupted || !answer.text.empty()) {
    messages_.push_back(message("assistant", answer.text));
    rollback.keep();
  }
  return answer;
}

}  // namespace invar

// See openai_request.h.
#include "server/api/openai_request.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "formats/printable.h"
#include "server/api/generation_fields.h"
#include "server/api/json_fields.h"

namespace invar {
namespace {

using Json = nlohmann::json;

// By field, the values that ask for nothing. Without any, the field may only be null.
Json neutral_chat_fields() {
  return Json::parse(R"({
    "audio": [],
    "function_call": ["none", "auto"],
    "functions": [[]],
    "modalities": [["text"]],
    "parallel_tool_calls": [true, false],
    "prediction": [],
    "reasoning_effort": [],
    "response_format": [{"type": "text"}],
    "service_tier": ["auto", "default"],
    "store": [false],
    "tool_choice": ["none", "auto"],
    "tools": [[]],
    "verbosity": ["medium"],
    "web_search_options": []
  })");
}

Json neutral_message_fields() {
  return Json::parse(R"({
    "annotations": [[]],
    "audio": [],
    "function_call": [],
    "reasoning_content": [""],
    "refusal": [],
    "tool_call_id": [],
    "tool_calls": [[]]
  })");
}

std::string read_role(JsonFields& fields) {
  const std::string role = json_string(fields.get("role", "a string"), fields.path("role"));
  if (role == "developer") {
    return "system";  // OpenAI's newer name for it
  }
  if (role == "tool" || role == "function") {
    fail(Code::kUnsupported, "{}: role '{}' is not supported", fields.path("role"), role);
  }
  if (role != "system" && role != "user" && role != "assistant") {
    fail(Code::kBadArgument,
         "{}: expected 'system', 'developer', 'user' or 'assistant', found '{}'",
         fields.path("role"), printable(role, 80));
  }
  return role;
}

std::string read_part(const Json& part, const std::string& path) {
  JsonFields fields(part, path + ".");
  const std::string type = json_string(fields.get("type", "'text'"), fields.path("type"));
  if (type != "text") {
    fail(Code::kUnsupported, "{}: parts of type '{}' are not supported", fields.path("type"),
         printable(type, 80));
  }
  std::string text = json_string(fields.get("text", "a string"), fields.path("text"));
  fields.refuse_unread();
  return text;
}

// A string, or a list of text parts, which count as their text, joined. An answer without text,
// which is null or left out, is an empty one: templates expect a string where no tools are called.
std::string read_content(JsonFields& fields, const std::string& role) {
  const Json* found = fields.find("content");
  if (found == nullptr && role == "assistant") {
    return {};
  }
  const Json& content = fields.get("content", "a string or a list of text parts");
  if (!content.is_array()) {
    return json_string(content, fields.path("content"));
  }
  std::string text;
  for (size_t i = 0; i < content.size(); ++i) {
    text += read_part(content[i], fmt::format("{}[{}]", fields.path("content"), i));
  }
  return text;
}

std::vector<ChatMessage> read_messages(JsonFields& fields) {
  const Json& list = fields.get("messages", "a list of messages");
  if (!list.is_array() || list.empty()) {
    fail(Code::kBadArgument, "messages: expected a list of at least 1 message, found {}",
         list.is_array() ? "an empty list" : json_kind(list));
  }
  std::vector<ChatMessage> messages;
  for (size_t i = 0; i < list.size(); ++i) {
    JsonFields message(list[i], fmt::format("messages[{}].", i));
    ChatMessage read;
    read.role = read_role(message);
    refuse_unless_neutral(message, neutral_message_fields());
    read.content = read_content(message, read.role);
    read.name = message.string("name");
    message.refuse_unread();
    messages.push_back(std::move(read));
  }
  return messages;
}

// Labels for answers that are stored, which none are: no answer depends on them.
void read_metadata(JsonFields& fields) {
  const Json* metadata = fields.find("metadata");
  if (metadata == nullptr) {
    return;
  }
  JsonFields labels(*metadata, "metadata.");
  for (const auto& [name, value] : metadata->items()) {
    static_cast<void>(labels.string(name));
  }
}

CompletionPrompt read_prompt(const Json& prompt, const std::string& path,
                             const RequestLimits& limits) {
  if (prompt.is_string()) {
    return {.text = prompt.get<std::string>()};
  }
  if (!prompt.is_array()) {
    fail(Code::kBadArgument, "{}: expected a string or a list of token ids, found {}", path,
         json_kind(prompt));
  }
  CompletionPrompt read{.ids = read_token_ids(prompt, path, limits.vocabulary)};
  if (read.ids.empty()) {
    fail(Code::kBadArgument, "{}: expected at least 1 token id, found an empty list", path);
  }
  return read;
}

// One prompt, or a list of them: a list of numbers is one.
std::vector<CompletionPrompt> read_prompts(JsonFields& fields, const RequestLimits& limits) {
  const Json& prompt = fields.get("prompt", "a string or a list of token ids");
  if (!prompt.is_array() || prompt.empty() || prompt.front().is_number()) {
    return {read_prompt(prompt, "prompt", limits)};
  }
  if (std::ssize(prompt) > limits.prompts_max) {
    fail(Code::kBadArgument, "prompt: expected at most {} prompts, found {}", limits.prompts_max,
         prompt.size());
  }
  std::vector<CompletionPrompt> prompts;
  for (size_t i = 0; i < prompt.size(); ++i) {
    prompts.push_back(read_prompt(prompt[i], fmt::format("prompt[{}]", i), limits));
  }
  return prompts;
}

}  // namespace

ChatRequest parse_chat_request(const Json& body, const RequestLimits& limits) {
  JsonFields fields(body, "");
  ChatRequest request;
  refuse_unless_neutral(fields, neutral_chat_fields());
  read_metadata(fields);
  request.messages = read_messages(fields);
  request.generation = read_generation_fields(fields, limits, /*max_tokens_min=*/1);
  SamplingParams& sampling = request.generation.sampling;
  sampling.logprobs = fields.boolean("logprobs").value_or(false);
  sampling.top_logprobs = static_cast<int32_t>(
      fields.integer("top_logprobs", {.min = 0, .max = kLogprobsMax}).value_or(0));
  if (sampling.top_logprobs > 0 && !sampling.logprobs) {
    fail(Code::kBadArgument, "top_logprobs: expected only with \"logprobs\": true");
  }
  fields.refuse_unread();
  return request;
}

CompletionRequest parse_completion_request(const Json& body, const RequestLimits& limits) {
  JsonFields fields(body, "");
  CompletionRequest request;
  request.prompts = read_prompts(fields, limits);
  request.generation = read_generation_fields(fields, limits, /*max_tokens_min=*/0);
  GenerationFields& generation = request.generation;
  if (const auto logprobs = fields.integer("logprobs", {.min = 0, .max = kLogprobsMax})) {
    generation.sampling.logprobs = true;
    generation.sampling.top_logprobs = static_cast<int32_t>(*logprobs);
  }
  request.echo = fields.boolean("echo").value_or(false);
  // best_of draws more answers than it returns; as many as n is what n alone does.
  Json neutral = Json::parse(R"({"best_of": [], "suffix": [""]})");
  neutral["best_of"].push_back(generation.choices);
  refuse_unless_neutral(fields, neutral);
  fields.refuse_unread();
  return request;
}

}  // namespace invar

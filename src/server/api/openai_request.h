// The bodies of requests as plain structs: JSON ends here. Every field of OpenAI's API is taken,
// taken as neutral (a value that asks for nothing), or refused by name; docs/server.md lists them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/sampling_params.h"

namespace invar {

// What chat and completions have in common.
struct GenerationFields {
  std::optional<std::string> model = {};  // absent: the one that is served
  SamplingParams sampling = {};           // `seed` is not set
  std::optional<uint64_t> seed = {};
  std::optional<int64_t> max_tokens = {};
  std::vector<std::string> stop = {};
  int32_t choices = 1;
  bool stream = false;
  bool include_usage = false;
  bool ignore_eos = false;
};

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;
  std::optional<std::string> name = {};
};

struct ChatRequest {
  GenerationFields generation;
  std::vector<ChatMessage> messages;
};

struct CompletionPrompt {
  std::string text = {};
  std::vector<int32_t> ids = {};  // instead of the text, if not empty
};

struct CompletionRequest {
  GenerationFields generation;
  std::vector<CompletionPrompt> prompts;  // at least one
  bool echo = false;
};

struct RequestLimits {
  int64_t choices_max = 1;
  int64_t prompts_max = 1;
  int64_t vocabulary = 0;  // token ids are below
};

inline constexpr int64_t kLogprobsMax = 20;
inline constexpr size_t kStopStringsMax = 16;
inline constexpr size_t kStopBytesMax = 256;

// Errors: kBadArgument and kUnsupported, beginning with the field.
ChatRequest parse_chat_request(const nlohmann::json& body, const RequestLimits& limits);
CompletionRequest parse_completion_request(const nlohmann::json& body, const RequestLimits& limits);

}  // namespace invar

// Log probabilities in the two forms of OpenAI's API.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/answer.h"

namespace invar {

// A token's text; "bytes:\xe2\x82" for bytes that are no whole characters.
std::string token_text(std::string_view bytes);

// {"content": [{"token", "logprob", "bytes", "top_logprobs"}], "refusal": null}
nlohmann::ordered_json chat_logprobs(const std::vector<SpelledToken>& tokens);

// {"tokens", "token_logprobs", "top_logprobs", "text_offset"}; offsets are in characters. The first
// token of a prompt has a null for its log probability and for the most probable ones.
nlohmann::ordered_json completion_logprobs(const std::vector<SpelledToken>& tokens);

}  // namespace invar

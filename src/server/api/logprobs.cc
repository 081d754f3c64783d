// See logprobs.h.
#include "server/api/logprobs.h"

#include <fmt/format.h>

#include "text/utf8.h"

namespace invar {
namespace {

using Json = nlohmann::ordered_json;

Json chat_entry(const SpelledLogprob& spelled) {
  Json bytes = Json::array();
  for (const char byte : spelled.bytes) {
    bytes.push_back(static_cast<unsigned char>(byte));
  }
  return {{"token", token_text(spelled.bytes)},
          {"logprob", spelled.logprob},
          {"bytes", std::move(bytes)}};
}

}  // namespace

std::string token_text(std::string_view bytes) {
  if (utf8_is_valid(bytes)) {
    return std::string(bytes);
  }
  std::string text = "bytes:";
  for (const char byte : bytes) {
    text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

Json chat_logprobs(const std::vector<SpelledToken>& tokens) {
  Json content = Json::array();
  for (const SpelledToken& token : tokens) {
    Json entry = chat_entry(token.token);
    entry["top_logprobs"] = Json::array();
    for (const SpelledLogprob& top : token.top) {
      entry["top_logprobs"].push_back(chat_entry(top));
    }
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

Json completion_logprobs(const std::vector<SpelledToken>& tokens) {
  Json names = Json::array();
  Json logprobs = Json::array();
  Json tops = Json::array();
  Json offsets = Json::array();
  for (const SpelledToken& token : tokens) {
    names.push_back(token_text(token.token.bytes));
    offsets.push_back(token.text_offset);
    if (!token.has_logprob) {
      logprobs.push_back(nullptr);
      tops.push_back(nullptr);
      continue;
    }
    logprobs.push_back(token.token.logprob);
    Json top = Json::object();
    for (const SpelledLogprob& each : token.top) {
      // Two tokens may be spelled alike; the more probable one comes first and stays.
      top.emplace(token_text(each.bytes), each.logprob);
    }
    tops.push_back(std::move(top));
  }
  return {{"tokens", std::move(names)},
          {"token_logprobs", std::move(logprobs)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

}  // namespace invar

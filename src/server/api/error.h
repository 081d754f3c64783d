// What a client is told when a request cannot be done: OpenAI's error object and its HTTP status.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "server/http/http_message.h"

namespace invar {

// Where the server's own failure is only logged.
inline constexpr std::string_view kNoFaultOfTheClient = "the server could not do this request";

struct ApiError {
  int status = 400;
  std::string message;
  std::string param = {};  // the field to blame, "messages[2].role"; empty: null
  std::string code = {};   // for programs, "context_length_exceeded"; empty: by the status
  std::vector<HttpHeader> headers = {};
};

// {"error": {"message", "type", "param", "code"}}
nlohmann::ordered_json error_json(const ApiError& error);
HttpReply error_reply(const ApiError& error);

// 503: the end of the server cuts the request short.
ApiError stopping_error();

// The project's messages begin with the field ("top_p: expected ..."), which becomes `param`; where
// one does not, or speaks of the prompt, the field in hand is `blame` (it may be empty).
ApiError api_error(const Error& error, std::string_view blame);

}  // namespace invar

// See error.h.
#include "server/api/error.h"

#include <algorithm>
#include <utility>

namespace invar {
namespace {

std::string_view type_of(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 429:
      return "rate_limit_error";
    default:
      return status >= 500 && status != 505 ? "server_error" : "invalid_request_error";
  }
}

std::string_view code_of(int status) {
  switch (status) {
    case 400:
      return "invalid_request";
    case 401:
      return "invalid_api_key";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 408:
      return "request_timeout";
    case 413:
      return "body_too_large";
    case 415:
      return "unsupported_media_type";
    case 417:
      return "expectation_failed";
    case 429:
      return "queue_full";
    case 431:
      return "head_too_large";
    case 503:
      return "unavailable";
    case 505:
      return "http_version_not_supported";
    default:
      return "internal_error";
  }
}

std::string_view code_of(Code code) {
  switch (code) {
    case Code::kBadFile:
      return "invalid_json";
    case Code::kUnsupported:
      return "unsupported_value";
    default:
      return "invalid_value";
  }
}

// The field that a message begins with: letters, digits, dots and brackets up to the first ": ".
std::string field_of(std::string_view message) {
  const size_t end = message.find(": ");
  if (end == std::string_view::npos) {
    return {};
  }
  const std::string_view field = message.substr(0, end);
  const bool plain = std::all_of(field.begin(), field.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '[' || c == ']' || c == '-';
  });
  return plain && field != "body" ? std::string(field) : std::string();
}

}  // namespace

nlohmann::ordered_json error_json(const ApiError& error) {
  nlohmann::ordered_json object;
  object["message"] = error.message;
  object["type"] = type_of(error.status);
  object["param"] = nullptr;
  if (!error.param.empty()) {
    object["param"] = error.param;
  }
  object["code"] = error.code.empty() ? std::string(code_of(error.status)) : error.code;
  return {{"error", std::move(object)}};
}

HttpReply error_reply(const ApiError& error) {
  // Messages may quote a client's bytes.
  return {.status = error.status,
          .headers = error.headers,
          .body = error_json(error).dump(-1, ' ', false,
                                         nlohmann::ordered_json::error_handler_t::replace)};
}

ApiError stopping_error() {
  return {.status = 503, .message = std::string(kServerStopping)};
}

ApiError api_error(const Error& error, std::string_view blame) {
  if (error.code() == Code::kIo) {
    // What the system refused names the server's files, which are no client's business.
    return {.status = 500, .message = std::string(kNoFaultOfTheClient)};
  }
  if (error.code() == Code::kExhausted) {
    // A pattern of the model's file that would run away on this text; its message names the file.
    return {.status = 400,
            .message = fmt::format("{}: the text takes too many steps to tokenize", blame),
            .param = std::string(blame),
            .code = "invalid_value"};
  }
  std::string field = field_of(error.what());
  if (field == "prompt" && !blame.empty()) {
    field.clear();  // the engine's word for what an endpoint may call otherwise
  }
  return {.status = 400,
          .message = error.what(),
          .param = field.empty() ? std::string(blame) : std::move(field),
          .code = std::string(code_of(error.code()))};
}

}  // namespace invar

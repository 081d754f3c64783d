// HTTP requests and replies as plain data, for handlers. How they look on the wire is the business
// of connection.cc alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace invar {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;  // as sent: "GET"
  std::string path;    // the target up to '?', not decoded
  std::vector<HttpHeader> headers = {};
  std::string body = {};

  // The first header of this name, in any case; null if there is none.
  const std::string* find_header(std::string_view name) const;
  int64_t count_headers(std::string_view name) const;
};

// The connection adds Content-Length or chunks, Connection and Date.
struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  // Of an answer that comes in pieces: bytes without meaning, which may be sent between them to
  // find out whether the client is still there.
  std::string filler = {};
};

// Why a request that the end of the server cuts short gets 503.
inline constexpr std::string_view kServerStopping = "the server is stopping";

// A path with its %XX written out; what is no escape stays as it is.
std::string decode_percent(std::string_view path);

// "Not Found" for 404; "Status" for a number that has no phrase here.
std::string_view reason_phrase(int status);

// Names of headers, media types and the like: ASCII letters of either case are equal.
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace invar

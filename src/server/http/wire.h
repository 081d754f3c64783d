// The bytes of HTTP replies: heads and chunks.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace invar {

// How the end of a body is marked.
enum class BodyFraming {
  kLength,   // Content-Length
  kChunked,  // HTTP/1.1 without a known length
  kClose,    // the end of the connection: HTTP/1.0 without a known length
};

struct HeadForm {
  BodyFraming framing = BodyFraming::kLength;
  size_t body_bytes = 0;  // for kLength
  bool keep_alive = true;
  std::time_t now = 0;  // for Date
};

// Status line and headers, with the empty line.
std::string render_head(const HttpReply& reply, const HeadForm& form);

// One chunk; `bytes` must not be empty, since an empty chunk ends a body.
std::string render_chunk(std::string_view bytes);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::time_t time);

}  // namespace invar

// See wire.h.
#include "server/http/wire.h"

#include <fmt/format.h>

#include <array>

#include "core/error.h"

namespace invar {

std::string http_date(std::time_t time) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                            "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string render_head(const HttpReply& reply, const HeadForm& form) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nConnection: {}\r\n", reply.status,
                                 reason_phrase(reply.status), http_date(form.now),
                                 form.keep_alive ? "keep-alive" : "close");
  if (!reply.content_type.empty()) {
    head += fmt::format("Content-Type: {}\r\n", reply.content_type);
  }
  for (const HttpHeader& header : reply.headers) {
    head += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  if (form.framing == BodyFraming::kLength && reply.status != 204 && reply.status != 304) {
    head += fmt::format("Content-Length: {}\r\n", form.body_bytes);
  } else if (form.framing == BodyFraming::kChunked) {
    head += "Transfer-Encoding: chunked\r\n";
  }
  return head + "\r\n";
}

std::string render_chunk(std::string_view bytes) {
  INVAR_CHECK(!bytes.empty());
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace invar

// See faults.h.
#include "server/http/faults.h"

#include <fmt/format.h>

#include <boost/beast/http/error.hpp>

#include "formats/printable.h"

namespace invar {

namespace http = boost::beast::http;

using boost::system::error_code;

int status_of(error_code error, bool expired) {
  if (expired) {
    return 408;
  }
  if (error == http::error::body_limit) {
    return 413;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return 431;
  }
  if (error == http::error::bad_version) {
    return 505;
  }
  const bool closed = error == http::error::end_of_stream || error == http::error::partial_message;
  const bool is_http = error.category() == make_error_code(http::error::bad_value).category();
  return is_http && !closed ? 400 : 0;
}

std::string fault_text(int status, error_code error, const HttpLimits& limits, bool in_head) {
  switch (status) {
    case 408:
      return fmt::format(
          "the request's {} did not arrive within {} s", in_head ? "head" : "body",
          static_cast<double>((in_head ? limits.header_time : limits.body_time).count()) / 1000);
    case 503:
      return fmt::format("the server holds {} bytes of requests' bodies, its limit",
                         limits.bodies_bytes_max);
    case 413:
      return fmt::format("the request's body is longer than {} bytes", limits.body_bytes_max);
    case 431:
      return fmt::format("the request's head is longer than {} bytes", limits.header_bytes_max);
    case 505:
      return "expected HTTP/1.1 or HTTP/1.0";
    default:
      return fmt::format("the request is not HTTP: {}", error.message());
  }
}

std::string head_fault(const HttpRequest& request, bool is_http_1_0) {
  if (!request.path.starts_with('/')) {
    return "the request's target: expected a path that begins with '/'";
  }
  const int64_t hosts = request.count_headers("Host");
  if (hosts > 1 || (hosts == 0 && !is_http_1_0)) {
    return fmt::format("header 'Host': expected one, found {}", hosts);
  }
  // With another coding nobody can tell where the body ends, and the next request begins.
  const std::string* coding = request.find_header("Transfer-Encoding");
  if (coding != nullptr && (!equal_ignoring_case(*coding, "chunked") ||
                            request.count_headers("Transfer-Encoding") > 1)) {
    return fmt::format("header 'Transfer-Encoding': expected 'chunked', found '{}'",
                       printable(*coding, 80));
  }
  return {};
}

}  // namespace invar

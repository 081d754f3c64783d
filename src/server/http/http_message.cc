// See http_message.h.
#include "server/http/http_message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace invar {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::array kPhrases = {
    std::pair<int, std::string_view>{200, "OK"},
    std::pair<int, std::string_view>{204, "No Content"},
    std::pair<int, std::string_view>{304, "Not Modified"},
    std::pair<int, std::string_view>{400, "Bad Request"},
    std::pair<int, std::string_view>{401, "Unauthorized"},
    std::pair<int, std::string_view>{404, "Not Found"},
    std::pair<int, std::string_view>{405, "Method Not Allowed"},
    std::pair<int, std::string_view>{408, "Request Timeout"},
    std::pair<int, std::string_view>{413, "Content Too Large"},
    std::pair<int, std::string_view>{415, "Unsupported Media Type"},
    std::pair<int, std::string_view>{417, "Expectation Failed"},
    std::pair<int, std::string_view>{429, "Too Many Requests"},
    std::pair<int, std::string_view>{431, "Request Header Fields Too Large"},
    std::pair<int, std::string_view>{500, "Internal Server Error"},
    std::pair<int, std::string_view>{503, "Service Unavailable"},
    std::pair<int, std::string_view>{505, "HTTP Version Not Supported"},
};

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* HttpRequest::find_header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (equal_ignoring_case(header.name, name)) {
      return &header.value;
    }
  }
  return nullptr;
}

int64_t HttpRequest::count_headers(std::string_view name) const {
  return std::count_if(headers.begin(), headers.end(), [&](const HttpHeader& header) {
    return equal_ignoring_case(header.name, name);
  });
}

std::string decode_percent(std::string_view path) {
  std::string decoded;
  while (!path.empty()) {
    uint8_t byte = 0;
    const char* end = path.data() + 3;
    const bool is_escape = path[0] == '%' && path.size() >= 3 &&
                           std::from_chars(path.data() + 1, end, byte, 16).ptr == end;
    decoded += is_escape ? static_cast<char>(byte) : path[0];
    path.remove_prefix(is_escape ? 3 : 1);
  }
  return decoded;
}

std::string_view reason_phrase(int status) {
  for (const auto& [number, phrase] : kPhrases) {
    if (number == status) {
      return phrase;
    }
  }
  return "Status";
}

}  // namespace invar

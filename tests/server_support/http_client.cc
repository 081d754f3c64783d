// See http_client.h.
#include "server_support/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace invar {
namespace {

constexpr std::chrono::milliseconds kPatience{30'000};

std::string lower(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return copy;
}

size_t parse_size(std::string_view text, int base) {
  size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

}  // namespace

std::string ClientReply::header(std::string_view name) const {
  const std::string wanted = fmt::format("\r\n{}: ", lower(name));
  const size_t at = lower(head).find(wanted);
  if (at == std::string::npos) {
    return {};
  }
  const size_t begin = at + wanted.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

HttpClient::HttpClient(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close();
  }
}

bool HttpClient::send(std::string_view bytes) {
  while (socket_ >= 0 && !bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return socket_ >= 0;
}

bool HttpClient::receive(std::chrono::milliseconds time) {
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  if (socket_ < 0 || ended_ || poll(&waiting, 1, static_cast<int>(time.count())) != 1) {
    return false;
  }
  char bytes[16384];
  const ssize_t count = recv(socket_, bytes, sizeof(bytes), 0);
  if (count <= 0) {
    ended_ = true;
    return false;
  }
  received_.append(bytes, static_cast<size_t>(count));
  return true;
}

std::string HttpClient::wait_for(std::string_view text) {
  while (received_.find(text) == std::string::npos && receive(kPatience)) {
  }
  return received_;
}

bool HttpClient::is_closed_within(std::chrono::milliseconds time) {
  return received_.empty() && !receive(time) && ended_;
}

std::optional<ClientReply> HttpClient::read(bool has_body) {
  const size_t head_end = wait_for("\r\n\r\n").find("\r\n\r\n");
  if (head_end == std::string::npos) {
    return std::nullopt;
  }
  ClientReply reply{.head = received_.substr(0, head_end + 4)};
  received_.erase(0, head_end + 4);
  reply.status = static_cast<int>(parse_size(std::string_view(reply.head).substr(9, 3), 10));
  if (!has_body || reply.status == 204 || reply.status == 304 || reply.status == 100) {
    return reply;
  }
  if (reply.header("Transfer-Encoding") == "chunked") {
    while (true) {
      const size_t line = wait_for("\r\n").find("\r\n");
      const size_t size = parse_size(std::string_view(received_).substr(0, line), 16);
      while (line != std::string::npos && received_.size() < line + 2 + size + 2) {
        if (!receive(kPatience)) {
          return std::nullopt;
        }
      }
      if (line == std::string::npos) {
        return std::nullopt;
      }
      reply.body += received_.substr(line + 2, size);
      received_.erase(0, line + 2 + size + 2);
      if (size == 0) {
        return reply;
      }
    }
  }
  const std::string length = reply.header("Content-Length");
  const size_t bytes = length.empty() ? SIZE_MAX : parse_size(length, 10);
  while (received_.size() < bytes && receive(kPatience)) {
  }
  if (!length.empty() && received_.size() < bytes) {
    return std::nullopt;
  }
  reply.body = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return reply;
}

void HttpClient::read_byte() {
  char byte = 0;
  [[maybe_unused]] const ssize_t size = ::recv(socket_, &byte, 1, MSG_DONTWAIT);
}

void HttpClient::close() {
  if (socket_ >= 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

void HttpClient::close_for_writing() {
  shutdown(socket_, SHUT_WR);
}

void HttpClient::reset() {
  const linger option{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &option, sizeof(option));
  close();
}

void HttpClient::set_receive_buffer(int bytes) {
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

std::optional<ClientReply> HttpClient::get(const std::string& path, const std::string& headers) {
  send(fmt::format("GET {} HTTP/1.1\r\nHost: t\r\n{}\r\n", path, headers));
  return read();
}

std::optional<ClientReply> HttpClient::post(const std::string& path, const std::string& body,
                                            const std::string& headers) {
  send(post_text(path, body, headers));
  return read();
}

std::string post_text(const std::string& path, const std::string& body,
                      const std::string& headers) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n{}\r\n{}",
      path, body.size(), headers, body);
}

}  // namespace invar

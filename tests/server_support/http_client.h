// A client for tests that sends bytes as they are, right or wrong, over loopback.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace invar {

struct ClientReply {
  int status = 0;
  std::string head = {};  // with its empty line
  std::string body = {};  // chunks joined

  // The value of a header, in any case; empty if there is none.
  std::string header(std::string_view name) const;
  nlohmann::json json() const { return nlohmann::json::parse(body); }
};

// One connection. Fails the running test when the server does what no server may.
class HttpClient {
 public:
  explicit HttpClient(uint16_t port);
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // False if the connection is broken.
  bool send(std::string_view bytes);
  // The next whole reply; `has_body` is false for HEAD. Empty if the connection ended before it, or
  // nothing came for 30 s.
  std::optional<ClientReply> read(bool has_body = true);
  // What was received and not read, after waiting until `text` is in it.
  std::string wait_for(std::string_view text);
  // Takes one byte off what the system has received, if there is one.
  void read_byte();
  // Whether the server closes within the time, without sending anything more.
  bool is_closed_within(std::chrono::milliseconds time);

  void close();
  void close_for_writing();
  void reset();  // close with a RST
  void set_receive_buffer(int bytes);

  // One request and its reply. With a body it is JSON, by POST.
  std::optional<ClientReply> get(const std::string& path, const std::string& headers = "");
  std::optional<ClientReply> post(const std::string& path, const std::string& body,
                                  const std::string& headers = "");

 private:
  bool receive(std::chrono::milliseconds time);

  int socket_ = -1;
  bool ended_ = false;
  std::string received_;
};

// A POST of JSON as bytes.
std::string post_text(const std::string& path, const std::string& body,
                      const std::string& headers = "");

}  // namespace invar

// A running HTTP server with a handler that needs no model, for tests of the transport.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "server/http/http_server.h"

namespace invar {

// GET /hello: "hello". POST /echo: the body. GET /stream: ten chunks. GET /flood: chunks without
// end. GET /wait: a head, and then nothing until release(). GET /paced: the same, but a byte for
// every look at it, as paced pieces. Anything else: 404, before the body.
class ToyHandler final : public HttpHandler {
 public:
  std::optional<HttpReply> refuse(const HttpRequest& head) override;
  std::unique_ptr<HttpTask> start(const HttpRequest& request, const Wake& wake,
                                  const std::stop_token& gone) override;
  HttpReply error_reply(int status, const std::string& message) override;
  void finish_head(const HttpRequest& head, HttpReply& reply) override;

  // Wakes all tasks for more.
  void tell();
  // Ends the answers of /wait and /paced, and the work on text of /ponder.
  void release();

  std::atomic<int> tasks{0};  // alive now
  std::atomic<int> paced_polls{0};
  std::atomic<int64_t> flooded{0};  // bytes that /flood has handed out
  // Text threads that work for /ponder now; they also stop when the client leaves.
  std::atomic<int> pondering{0};

 private:
  class Task;
  std::atomic<bool> released_{false};
  std::mutex mutex_;
  std::vector<Wake> wakes_;
};

class ToyServer {
 public:
  explicit ToyServer(HttpServerOptions options = {});
  ~ToyServer();

  uint16_t port() const { return server_.port(); }
  void stop() { server_.stop(); }
  void join() { thread_.join(); }

  ToyHandler handler;
  HttpCounts counts;

 private:
  HttpServer server_;
  std::thread thread_;
};

// Waits until `condition` holds, at most 20 s.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace invar

// The HTTP server: one thread serves all connections, a few others do the work on text that a
// request needs before it can be queued. HTTP/1.1 with keep-alive, HTTP/1.0 without.
//
//   HttpServer server(handler, {.host = "127.0.0.1", .port = 8080});
//   server.run();    // until stop() or a signal
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "server/http/http_handler.h"
#include "server/http/limits.h"

namespace invar {

// Written by the server, read by anyone.
struct HttpCounts {
  std::atomic<int64_t> connections_open{0};
  std::atomic<int64_t> connections_accepted{0};
  std::atomic<int64_t> connections_refused{0};  // over the limit
  std::atomic<int64_t> streams_open{0};         // answers that are sent in paced pieces
  std::atomic<int64_t> requests_abandoned{0};   // whose client went away before the answer's end
  std::atomic<int64_t> text_running{0};         // requests that a text thread works on
  std::atomic<int64_t> body_bytes_held{0};      // of all requests that were not started yet
  std::atomic<int64_t> bodies_refused{0};       // because together they were too long
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an address or a name
  uint16_t port = 0;               // 0: any free one
  HttpLimits limits = {};
  int text_threads = 2;
  std::chrono::milliseconds grace{10'000};  // for answers that run when the server is stopped
  bool stop_on_signals = false;             // SIGTERM and SIGINT; a second one ends the grace time
};

class HttpServer {
 public:
  // Listens from here on; answers from run() on. Throws kBadArgument for a host that is no address,
  // kIo if the port cannot be had. `handler` and `counts` must outlive it.
  HttpServer(HttpHandler& handler, HttpCounts& counts, HttpServerOptions options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const;
  int64_t connections_max() const;

  // Serves on the calling thread until stopped, then lets running answers finish within the grace
  // time; those that do not are interrupted. Once.
  void run();

  // From any thread: accepts nothing any more, closes idle connections, lets run() return.
  void stop();

  // From any thread: whether the server was told to stop.
  bool stopping() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace invar

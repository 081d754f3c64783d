// What the HTTP server asks of the program behind it: to answer requests in pieces, without ever
// blocking the thread that serves all connections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "server/http/http_message.h"

namespace invar {

// Tells the connection that its task has something new. From any thread, any number of times, also
// after the task is gone.
enum class News : uint8_t {
  kMore,  // may wait until other streams' pieces are sent, too
  kLast,  // the end of the answer
};
using Wake = std::function<void(News news)>;

// What a task can send now.
struct HttpOutput {
  // The head, once. Its body counts as the first bytes.
  std::optional<HttpReply> reply = {};
  std::string bytes = {};
  bool ended = false;  // nothing will follow; needs a head, now or before
  bool paced = false;  // what follows may be gathered for a few milliseconds
};

// One request being answered. Destroyed as soon as its client goes away, so its destructor must
// give back what the answer holds.
class HttpTask {
 public:
  virtual ~HttpTask() = default;
  // Called by the server's thread at the start, after every write and after a wake, until it ends.
  // An empty output means: nothing before the next wake. Must not block.
  virtual HttpOutput poll() = 0;
  // Instead of the next poll(), where the server ends before the answer does: what tells the client
  // so, as an output that ended.
  virtual HttpOutput interrupt() = 0;
};

// A task whose whole answer is there.
class ReadyTask final : public HttpTask {
 public:
  explicit ReadyTask(HttpReply reply) : reply_(std::move(reply)) {}
  HttpOutput poll() override { return {.reply = std::move(reply_), .bytes = {}, .ended = true}; }
  HttpOutput interrupt() override { return poll(); }

 private:
  HttpReply reply_;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // On the server's thread, when the head of a request is there and its body is not: a reply ends
  // the request before its body is read.
  virtual std::optional<HttpReply> refuse(const HttpRequest& head) = 0;

  // On one of the text threads, where parsing and tokenizing may take a while; on the server's
  // thread if the request has no body. Must not throw. When `gone` says that the client has left
  // or that the server ends, the sooner it returns the better.
  virtual std::unique_ptr<HttpTask> start(const HttpRequest& request, const Wake& wake,
                                          const std::stop_token& gone) = 0;

  // The reply for a request that the connection itself refuses.
  virtual HttpReply error_reply(int status, const std::string& message) = 0;

  // Every reply to a request whose head was read passes here before it is sent.
  virtual void finish_head(const HttpRequest& head, HttpReply& reply) = 0;
};

}  // namespace invar

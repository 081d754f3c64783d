// See toy_server.h.
#include "server/http/toy_server.h"

#include <utility>

namespace invar {

class ToyHandler::Task final : public HttpTask {
 public:
  Task(ToyHandler& handler, std::string path) : handler_(handler), path_(std::move(path)) {
    handler_.tasks += 1;
  }
  ~Task() override { handler_.tasks -= 1; }

  HttpOutput poll() override {
    HttpOutput output;
    if (polls_++ == 0) {
      output.reply = HttpReply{.content_type = "text/plain", .filler = "."};
    } else if (path_ == "/flood") {
      output.bytes = std::string(64 << 10, 'x');
      handler_.flooded += static_cast<int64_t>(output.bytes.size());
    } else if (path_ == "/stream") {
      output.bytes = "piece " + std::to_string(polls_ - 1) + "\n";
      output.ended = polls_ == 11;
    } else if (path_ == "/paced") {
      handler_.paced_polls += 1;
      output.bytes = "x";
      output.paced = true;
      output.ended = handler_.released_.load();
      // Nothing at every second look, so that the connection waits for a wake.
      if (!output.ended && polls_ % 2 == 0) {
        output = {};
      }
    } else {
      output.ended = handler_.released_.load();
    }
    return output;
  }

  HttpOutput interrupt() override {
    HttpOutput output{.bytes = "interrupted", .ended = true};
    if (polls_ == 0) {
      output.reply = HttpReply{.status = 503, .content_type = "text/plain"};
    }
    return output;
  }

 private:
  ToyHandler& handler_;
  std::string path_;
  int polls_ = 0;
};

std::optional<HttpReply> ToyHandler::refuse(const HttpRequest& head) {
  for (const char* path : {"/hello", "/echo", "/stream", "/flood", "/wait", "/paced", "/ponder"}) {
    if (head.path == path) {
      return std::nullopt;
    }
  }
  return error_reply(404, "no such path");
}

std::unique_ptr<HttpTask> ToyHandler::start(const HttpRequest& request, const Wake& wake,
                                            const std::stop_token& gone) {
  if (request.path == "/hello" || request.path == "/echo") {
    return std::make_unique<ReadyTask>(HttpReply{
        .content_type = "text/plain", .body = request.path == "/hello" ? "hello" : request.body});
  }
  if (request.path == "/ponder") {
    ++pondering;
    eventually([&] { return released_.load() || gone.stop_requested(); });
    --pondering;
    return std::make_unique<ReadyTask>(HttpReply{.content_type = "text/plain", .body = "pondered"});
  }
  const std::lock_guard lock(mutex_);
  wakes_.push_back(wake);
  return std::make_unique<Task>(*this, request.path);
}

HttpReply ToyHandler::error_reply(int status, const std::string& message) {
  return {.status = status, .content_type = "text/plain", .body = message};
}

void ToyHandler::finish_head(const HttpRequest& head, HttpReply& reply) {
  reply.headers.push_back({.name = "X-Method", .value = head.method});
}

void ToyHandler::tell() {
  const std::lock_guard lock(mutex_);
  for (const Wake& wake : wakes_) {
    wake(News::kMore);
  }
}

void ToyHandler::release() {
  released_ = true;
  const std::lock_guard lock(mutex_);
  for (const Wake& wake : wakes_) {
    wake(News::kLast);
  }
}

ToyServer::ToyServer(HttpServerOptions options)
    : server_(handler, counts, std::move(options)), thread_([this] { server_.run(); }) {}

ToyServer::~ToyServer() {
  if (thread_.joinable()) {
    server_.stop();
    thread_.join();
  }
}

}  // namespace invar

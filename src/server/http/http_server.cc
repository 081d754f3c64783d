// Listening, the set of connections, and the way to an orderly end (http_server.h).
#include "server/http/http_server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <ctime>
#include <exception>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "server/http/connection.h"

namespace invar {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr int kBacklog = 512;
// The pause after a failed accept, which would fail again at once.
constexpr std::chrono::milliseconds kAcceptPause{100};

tcp::endpoint resolve(asio::io_context& loop, const std::string& host, uint16_t port) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (!error) {
    return {address, port};
  }
  tcp::resolver resolver(loop);
  const auto found = resolver.resolve(host, std::to_string(port), error);
  if (error || found.empty()) {
    fail(Code::kBadArgument, "--host: expected an address or a host's name, found '{}' ({})", host,
         error.message());
  }
  return *found.begin();
}

tcp::acceptor listen(asio::io_context& loop, const std::string& host, uint16_t port) {
  const tcp::endpoint endpoint = resolve(loop, host, port);
  tcp::acceptor acceptor(loop);
  error_code error;
  const auto step = [&](auto work) {
    if (!error) {
      work();
    }
  };
  step([&] { acceptor.open(endpoint.protocol(), error); });
  step([&] { acceptor.set_option(asio::socket_base::reuse_address(true), error); });
  step([&] { acceptor.bind(endpoint, error); });
  step([&] { acceptor.listen(kBacklog, error); });
  if (error) {
    fail(Code::kIo, "{}:{}: cannot listen: {}{}", host, port, error.message(),
         error == asio::error::address_in_use ? " (--port names another)" : "");
  }
  return acceptor;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpHandler& handler, HttpCounts& counts, HttpServerOptions options)
      : handler_(handler),
        counts_(counts),
        options_(std::move(options)),
        connections_max_(connections_within(open_files_limit(), options_.limits.connections_max)),
        acceptor_(listen(loop_, options_.host, options_.port)),
        port_(acceptor_.local_endpoint().port()),
        signals_(loop_),
        grace_timer_(loop_),
        text_threads_(static_cast<size_t>(options_.text_threads)) {
    if (options_.stop_on_signals) {
      signals_.add(SIGINT);
      signals_.add(SIGTERM);
      wait_for_signal();
    }
  }

  void run() {
    if (connections_max_ < options_.limits.connections_max) {
      log_warn("connections: at most {} at a time, because of the limit of open files",
               connections_max_);
    }
    asio::co_spawn(loop_, accept_loop(), asio::detached);
    loop_.run();
    text_threads_.join();
  }

  void post_stop() {
    asio::post(loop_, [this] { begin_stop(); });
  }

  uint16_t port() const { return port_; }
  int64_t connections_max() const { return connections_max_; }
  bool stopping() const { return stopping_.load(); }

 private:
  void wait_for_signal() {
    signals_.async_wait([this](error_code error, int /*signal*/) {
      if (error) {
        return;
      }
      if (stopping()) {
        end_answers();
        return;
      }
      begin_stop();
      if (!connections_.empty()) {
        wait_for_signal();
      }
    });
  }

  void begin_stop() {
    if (stopping_.exchange(true)) {
      return;
    }
    error_code ignored;
    acceptor_.close(ignored);
    grace_timer_.expires_after(options_.grace);
    grace_timer_.async_wait([this](error_code error) {
      if (!error) {
        log_warn("connections ended at the end of the grace time: {}", connections_.size());
        end_answers();
      }
    });
    for (const auto& connection : connections_) {
      connection->stop();
    }
    end_if_empty();
    if (!connections_.empty()) {
      log_warn("stopping: {} connections have {} s to finish; a second signal ends them at once",
               connections_.size(), std::chrono::duration<double>(options_.grace).count());
    }
  }

  // Clients are told; those that do not take it within a moment are cut off.
  void end_answers() {
    for (const auto& connection : connections_) {
      connection->interrupt();
    }
    grace_timer_.expires_after(options_.limits.linger_time);
    grace_timer_.async_wait([this](error_code error) {
      if (!error) {
        for (const auto& connection : connections_) {
          connection->cut_off();
        }
      }
    });
  }

  // Leaves the loop without work, so that run() returns.
  void end_if_empty() {
    if (stopping() && connections_.empty()) {
      grace_timer_.cancel();
      error_code ignored;
      signals_.cancel(ignored);
    }
  }

  asio::awaitable<void> accept_loop() {
    while (!stopping()) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (stopping()) {
        co_return;
      }
      if (error) {
        log_warn("accept: {}", error.message());
        asio::steady_timer pause(loop_, kAcceptPause);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        continue;
      }
      if (static_cast<int64_t>(connections_.size()) >= connections_max_) {
        refuse(std::move(socket));
        continue;
      }
      serve(std::move(socket));
    }
  }

  void serve(tcp::socket socket) {
    auto connection = std::make_shared<Connection>(
        std::move(socket), Connection::Shared{.handler = &handler_,
                                              .counts = &counts_,
                                              .text_threads = &text_threads_,
                                              .limits = options_.limits});
    connections_.insert(connection);
    counts_.connections_accepted += 1;
    counts_.connections_open += 1;
    asio::co_spawn(loop_, connection->run(), [this, connection](std::exception_ptr exception) {
      if (exception) {  // the others go on
        log_warn("a connection ended by an exception");
      }
      connections_.erase(connection);
      counts_.connections_open -= 1;
      end_if_empty();
    });
  }

  // Over the limit: an answer as far as it goes without waiting.
  void refuse(tcp::socket socket) {
    counts_.connections_refused += 1;
    HttpReply reply = handler_.error_reply(
        503, fmt::format("the server holds {} connections, its limit", connections_max_));
    reply.headers.push_back({.name = "Retry-After", .value = "1"});
    const std::string bytes = render_head(reply, {.framing = BodyFraming::kLength,
                                                  .body_bytes = reply.body.size(),
                                                  .keep_alive = false,
                                                  .now = std::time(nullptr)}) +
                              reply.body;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(bytes), 0, ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  HttpHandler& handler_;
  HttpCounts& counts_;
  const HttpServerOptions options_;
  const int64_t connections_max_;
  asio::io_context loop_{1};
  tcp::acceptor acceptor_;
  const uint16_t port_;
  asio::signal_set signals_;
  asio::steady_timer grace_timer_;
  std::atomic<bool> stopping_{false};
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  asio::thread_pool text_threads_;  // last: its work refers to the others
};

HttpServer::HttpServer(HttpHandler& handler, HttpCounts& counts, HttpServerOptions options)
    : impl_(std::make_unique<Impl>(handler, counts, std::move(options))) {}

HttpServer::~HttpServer() = default;

uint16_t HttpServer::port() const {
  return impl_->port();
}

int64_t HttpServer::connections_max() const {
  return impl_->connections_max();
}

void HttpServer::run() {
  impl_->run();
}

void HttpServer::stop() {
  impl_->post_stop();
}

bool HttpServer::stopping() const {
  return impl_->stopping();
}

}  // namespace invar

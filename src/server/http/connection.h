// One client's connection, as a coroutine: reads requests within their limits, hands them to the
// handler, writes what its task gives, and notices when the client goes away meanwhile.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "server/http/http_handler.h"
#include "server/http/http_server.h"
#include "server/http/limits.h"
#include "server/http/waker.h"
#include "server/http/wire.h"

namespace invar {

// All but the handler's start() runs in the thread of the event loop.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Shared {
    HttpHandler* handler = nullptr;
    HttpCounts* counts = nullptr;
    boost::asio::thread_pool* text_threads = nullptr;
    HttpLimits limits = {};
  };
  Connection(boost::asio::ip::tcp::socket socket, const Shared& shared);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Until the connection ends. Must be finished before this is destroyed.
  boost::asio::awaitable<void> run();

  // No further request; the one that runs is answered.
  void stop();
  // The task that runs has its last word now, and then the connection ends.
  void interrupt();
  // Ends at once; a task that runs is destroyed.
  void cut_off();

 private:
  struct Exchange;

  // Whether another request may follow.
  boost::asio::awaitable<bool> serve();
  boost::asio::awaitable<bool> wait_for_request();
  // An HTTP status other than 0 refuses the request.
  boost::asio::awaitable<int> read_head(Exchange& exchange);
  boost::asio::awaitable<int> read_body(Exchange& exchange);
  // Null if the client left meanwhile or the server ends.
  boost::asio::awaitable<std::unique_ptr<HttpTask>> start_task(Exchange& exchange);
  boost::asio::awaitable<void> send_task(Exchange& exchange, HttpTask& task);
  boost::asio::awaitable<void> send(Exchange& exchange, HttpOutput output);
  boost::asio::awaitable<void> gather(Exchange& exchange);
  boost::asio::awaitable<void> send_error(Exchange& exchange, int status);
  boost::asio::awaitable<void> watch(Exchange& exchange);
  void probe(const Exchange& exchange);
  boost::asio::awaitable<void> write(std::string head, std::string body);
  boost::asio::awaitable<void> linger();

  // The client is gone: what is done for it stops.
  void leave();

  // None after the end of what a client sends: a second read of it would wait for ever, because
  // the system announces it once.
  std::chrono::milliseconds time_to_read(std::chrono::milliseconds time) const {
    return half_closed_ ? std::chrono::milliseconds(0) : time;
  }

  // Cancels the reads and writes that are under way when the time is over.
  void set_deadline(std::chrono::milliseconds time);
  void arm_deadline(std::chrono::milliseconds time);
  void clear_deadline() { ++deadline_; }

  Shared shared_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer wake_timer_;
  boost::beast::flat_buffer buffer_;
  std::shared_ptr<Waker> waker_;
  std::stop_source work_;  // of the request in hand
  uint64_t deadline_ = 0;  // the number of the one that counts
  bool expired_ = false;   // the last deadline passed
  bool woken_ = false;
  bool gone_ = false;         // the client is not there any more
  bool half_closed_ = false;  // it sends no more, and may still read
  bool writing_ = false;
  bool stopping_ = false;
  bool between_requests_ = false;
  bool answering_ = false;  // a request that was read; it has a task or will
  bool interrupted_ = false;
};

}  // namespace invar

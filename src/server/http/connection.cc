// The life of a connection (connection.h). With http_server.cc and faults.cc the only file that
// knows Beast or Asio's operations.
//
// No awaited call has an argument made on the spot: g++ 12 destroys such temporaries twice.
#include "server/http/connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <ctime>
#include <utility>

#include "server/http/faults.h"
#include "server/http/pacing.h"

namespace invar {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using boost::system::error_code;

namespace {

// What a client may send ahead while its request is being answered; it waits for the next one.
constexpr size_t kSentAheadMax = size_t{16} << 10;
constexpr size_t kReadBytes = size_t{4} << 10;
constexpr size_t kWriteBytes = size_t{64} << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
// A deadline that finds nothing to cancel, because a read has just ended and the next has not
// begun, looks again.
constexpr std::chrono::milliseconds kDeadlineAgain{20};

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

// One request and its answer.
struct Connection::Exchange {
  explicit Exchange(HttpCounts& all) : counts(all) {}
  ~Exchange() { hold_body(0); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Says how much of the body is held now. The bytes of all bodies.
  int64_t hold_body(size_t bytes) {
    const auto change = static_cast<int64_t>(bytes) - body_held;
    body_held += change;
    return counts.body_bytes_held += change;
  }

  HttpCounts& counts;
  int64_t body_held = 0;
  http::request_parser<http::string_body> parser;
  HttpRequest request;
  std::string fault;  // for the client, where the connection refuses
  bool is_http_1_0 = false;
  bool has_head = false;   // `request` is filled but for its body
  bool keep_alive = true;  // after this answer
  bool body_pending = false;
  bool head_sent = false;
  bool done = false;  // the answer was sent
  BodyFraming framing = BodyFraming::kLength;
  std::optional<PacedStream> stream;  // once it sends paced pieces
  std::string filler;                 // of an answer that is under way
};

Connection::Connection(asio::ip::tcp::socket socket, const Shared& shared)
    : shared_(shared),
      socket_(std::move(socket)),
      deadline_timer_(socket_.get_executor()),
      wake_timer_(socket_.get_executor()),
      buffer_(shared.limits.header_bytes_max + kSentAheadMax) {
  waker_ = std::make_shared<Waker>(socket_.get_executor(), [this] {
    woken_ = true;
    wake_timer_.cancel();
  });
  error_code ignored;  // A socket without these options still works.
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  socket_.set_option(
      asio::socket_base::send_buffer_size(static_cast<int>(shared.limits.send_buffer_bytes)),
      ignored);
}

Connection::~Connection() {
  waker_->close();
}

void Connection::stop() {
  stopping_ = true;
  if (between_requests_) {
    cut_off();
  }
}

void Connection::interrupt() {
  if (!answering_) {
    cut_off();
    return;
  }
  work_.request_stop();
  stopping_ = true;
  interrupted_ = true;
  woken_ = true;
  wake_timer_.cancel();
}

void Connection::leave() {
  gone_ = true;
  work_.request_stop();
}

void Connection::cut_off() {
  leave();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::set_deadline(std::chrono::milliseconds time) {
  ++deadline_;
  expired_ = false;
  arm_deadline(time);
}

void Connection::arm_deadline(std::chrono::milliseconds time) {
  deadline_timer_.expires_after(time);
  deadline_timer_.async_wait([weak = weak_from_this(), number = deadline_](error_code error) {
    const std::shared_ptr<Connection> self = weak.lock();
    if (error || self == nullptr || self->deadline_ != number) {
      return;
    }
    self->expired_ = true;
    error_code ignored;
    self->socket_.cancel(ignored);
    self->arm_deadline(kDeadlineAgain);
  });
}

asio::awaitable<void> Connection::run() {
  while (co_await wait_for_request()) {
    if (!co_await serve()) {
      break;
    }
  }
  if (!gone_) {
    co_await linger();
  }
  clear_deadline();
  deadline_timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<bool> Connection::wait_for_request() {
  if (stopping_ || gone_) {
    co_return false;
  }
  if (buffer_.size() > 0) {
    co_return true;
  }
  if (half_closed_) {
    co_return false;
  }
  buffer_.shrink_to_fit();
  between_requests_ = true;
  set_deadline(shared_.limits.idle_time);
  const auto [error, bytes] = co_await socket_.async_read_some(buffer_.prepare(kReadBytes), kTuple);
  clear_deadline();
  between_requests_ = false;
  buffer_.commit(bytes);
  gone_ = gone_ || bytes == 0;
  co_return !gone_;
}

asio::awaitable<bool> Connection::serve() {
  Exchange exchange(*shared_.counts);
  int status = co_await read_head(exchange);
  if (status == 0 && !gone_) {
    if (std::optional<HttpReply> reply = shared_.handler->refuse(exchange.request)) {
      exchange.keep_alive = exchange.keep_alive && !exchange.body_pending;
      HttpOutput output{.reply = std::move(reply), .bytes = {}, .ended = true};
      co_await send(exchange, std::move(output));
      co_return exchange.keep_alive && !gone_;
    }
    status = co_await read_body(exchange);
  }
  if (gone_) {
    co_return false;
  }
  if (status != 0) {
    co_await send_error(exchange, status);
    co_return false;
  }
  work_ = std::stop_source();
  answering_ = true;
  const std::unique_ptr<HttpTask> task = co_await start_task(exchange);
  exchange.request.body = std::string();
  exchange.hold_body(0);
  if (task != nullptr && !gone_) {
    using asio::experimental::awaitable_operators::operator||;
    co_await (send_task(exchange, *task) || watch(exchange));
  } else if (!gone_) {
    exchange.fault = kServerStopping;
    co_await send_error(exchange, 503);
  }
  answering_ = false;
  if (!exchange.done) {
    shared_.counts->requests_abandoned += 1;
  }
  co_return exchange.done&& exchange.keep_alive && !gone_;
}

asio::awaitable<std::unique_ptr<HttpTask>> Connection::start_task(Exchange& exchange) {
  const Wake wake = [waker = waker_](News news) { waker->wake(news); };
  const std::stop_token gone = work_.get_token();
  // A request without a body has no text to work on: it does not wait for those that have.
  if (exchange.request.body.empty()) {
    co_return shared_.handler->start(exchange.request, wake, gone);
  }
  const auto start = [&]() -> asio::awaitable<std::unique_ptr<HttpTask>> {
    if (gone.stop_requested()) {
      co_return nullptr;
    }
    shared_.counts->text_running += 1;
    std::unique_ptr<HttpTask> task = shared_.handler->start(exchange.request, wake, gone);
    shared_.counts->text_running -= 1;
    co_return task;
  };
  // Asio's own signal to cancel would reach the coroutine in another thread than its own. The
  // work looks at `gone` instead, and is waited for.
  const auto work = [&]() -> asio::awaitable<std::unique_ptr<HttpTask>> {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_return co_await asio::co_spawn(*shared_.text_threads, start, asio::use_awaitable);
  };
  using asio::experimental::awaitable_operators::operator||;
  auto first = co_await (work() || watch(exchange));
  co_return first.index() == 0 ? std::get<0>(std::move(first)) : nullptr;
}

// Reading ---------------------------------------------------------------------------------------

asio::awaitable<int> Connection::read_head(Exchange& exchange) {
  auto& parser = exchange.parser;
  parser.header_limit(static_cast<uint32_t>(shared_.limits.header_bytes_max));
  parser.body_limit(shared_.limits.body_bytes_max);
  set_deadline(time_to_read(shared_.limits.header_time));
  const auto [error, bytes] = co_await http::async_read_header(socket_, buffer_, parser, kTuple);
  clear_deadline();
  if (error) {
    const int status = gone_ || half_closed_ ? 0 : status_of(error, expired_);
    gone_ = gone_ || status == 0;
    exchange.fault = fault_text(status, error, shared_.limits, /*in_head=*/true);
    co_return status;
  }
  const auto& message = parser.get();
  HttpRequest& request = exchange.request;
  request.method = std::string(message.method_string());
  request.path = std::string(message.target().substr(0, message.target().find('?')));
  for (const auto& field : message) {
    request.headers.push_back(
        {.name = std::string(field.name_string()), .value = std::string(field.value())});
  }
  exchange.has_head = true;
  exchange.is_http_1_0 = message.version() < 11;
  exchange.keep_alive = message.keep_alive();
  exchange.body_pending = !parser.is_done();
  exchange.fault = head_fault(request, exchange.is_http_1_0);
  if (!exchange.fault.empty()) {
    co_return 400;
  }
  const std::string* expect = request.find_header("Expect");
  if (expect != nullptr && !equal_ignoring_case(*expect, "100-continue")) {
    exchange.fault = "header 'Expect': expected 100-continue";
    co_return 417;
  }
  co_return 0;
}

asio::awaitable<int> Connection::read_body(Exchange& exchange) {
  if (!exchange.body_pending) {
    co_return 0;
  }
  if (exchange.request.find_header("Expect") != nullptr && !exchange.is_http_1_0) {
    std::string head(kContinue);
    std::string body;
    co_await write(std::move(head), std::move(body));
    if (gone_) {
      co_return 0;
    }
  }
  set_deadline(time_to_read(shared_.limits.body_time));
  auto& parser = exchange.parser;
  parser.eager(true);
  error_code error;
  bool fits = true;
  while (!error && fits && !parser.is_done()) {
    const auto [failure, bytes] = co_await http::async_read_some(socket_, buffer_, parser, kTuple);
    error = failure;
    fits = exchange.hold_body(parser.get().body().size()) <=
           static_cast<int64_t>(shared_.limits.bodies_bytes_max);
  }
  clear_deadline();
  shared_.counts->bodies_refused += fits ? 0 : 1;
  if (error || !fits) {
    const int status = gone_ || half_closed_ ? 0 : fits ? status_of(error, expired_) : 503;
    gone_ = gone_ || status == 0;
    exchange.fault = fault_text(status, error, shared_.limits, /*in_head=*/false);
    co_return status;
  }
  exchange.body_pending = false;
  exchange.request.body = std::move(exchange.parser.get().body());
  co_return 0;
}

// Looks for the client's end while its request is answered, also when nothing is written for long.
// The end of what a client sends may be the end of the client, or it may still read. What is sent
// to it tells: the system of a client that is gone answers with a reset.
asio::awaitable<void> Connection::watch(Exchange& exchange) {
  size_t sent_ahead = buffer_.size();
  while (!half_closed_ && sent_ahead < kSentAheadMax) {
    const size_t room = std::min(kReadBytes, kSentAheadMax - sent_ahead);
    const auto [error, bytes] = co_await socket_.async_read_some(buffer_.prepare(room), kTuple);
    buffer_.commit(bytes);
    sent_ahead += bytes;
    half_closed_ = error == asio::error::eof;
    if (exchange.done || error == asio::error::operation_aborted) {
      co_return;
    }
    if (half_closed_) {
      probe(exchange);
    } else if (error) {
      leave();
      co_return;
    }
  }
  if (half_closed_) {
    const auto [error] = co_await socket_.async_wait(asio::socket_base::wait_error, kTuple);
    if (!error && !exchange.done) {
      leave();
    }
    co_return;
  }
  // This client sends ahead too much to be watched: its end is seen when something is written.
  asio::steady_timer never(socket_.get_executor(), asio::steady_timer::time_point::max());
  co_await never.async_wait(kTuple);
}

void Connection::probe(const Exchange& exchange) {
  std::string bytes;
  if (!exchange.head_sent) {
    bytes = exchange.is_http_1_0 ? std::string_view() : kContinue;
  } else if (!exchange.filler.empty()) {
    bytes =
        exchange.framing == BodyFraming::kChunked ? render_chunk(exchange.filler) : exchange.filler;
  }
  if (writing_ || bytes.empty()) {
    return;  // what is written meanwhile does the same
  }
  error_code error;
  const size_t sent = socket_.send(asio::buffer(bytes), 0, error);
  if (error != asio::error::would_block && sent < bytes.size()) {
    leave();
  }
}

// Writing ---------------------------------------------------------------------------------------

asio::awaitable<void> Connection::send_task(Exchange& exchange, HttpTask& task) {
  while (!exchange.done && !gone_) {
    woken_ = false;
    HttpOutput output = interrupted_ ? task.interrupt() : task.poll();
    if (output.reply || output.ended || !output.bytes.empty()) {
      const bool paced = output.paced && !output.ended;
      co_await send(exchange, std::move(output));
      if (paced) {
        co_await gather(exchange);
      }
    } else if (!woken_) {
      wake_timer_.expires_at(asio::steady_timer::time_point::max());
      co_await wake_timer_.async_wait(kTuple);
    }
  }
}

asio::awaitable<void> Connection::send(Exchange& exchange, HttpOutput output) {
  std::string head;
  std::string body = std::move(output.bytes);
  if (output.reply) {
    HttpReply reply = std::move(*output.reply);
    if (exchange.has_head) {
      shared_.handler->finish_head(exchange.request, reply);
    }
    body.insert(0, reply.body);
    if (!output.ended) {
      exchange.framing = exchange.is_http_1_0 ? BodyFraming::kClose : BodyFraming::kChunked;
    }
    exchange.keep_alive = exchange.keep_alive && !stopping_ &&
                          exchange.framing != BodyFraming::kClose &&
                          !(half_closed_ && buffer_.size() == 0);
    exchange.head_sent = true;
    if (exchange.request.method != "HEAD") {
      exchange.filler = std::move(reply.filler);
    }
    head = render_head(reply, {.framing = exchange.framing,
                               .body_bytes = body.size(),
                               .keep_alive = exchange.keep_alive,
                               .now = std::time(nullptr)});
  }
  if (exchange.request.method == "HEAD") {
    body.clear();
  } else if (exchange.framing == BodyFraming::kChunked) {
    body = body.empty() ? std::string() : render_chunk(body);
    body += output.ended ? kLastChunk : std::string_view();
  }
  co_await write(std::move(head), std::move(body));
  exchange.done = output.ended && !gone_;
}

// Lets a stream's next pieces come together, unless its end is there.
asio::awaitable<void> Connection::gather(Exchange& exchange) {
  if (!exchange.stream) {
    exchange.stream.emplace(shared_.counts->streams_open);
  }
  const auto now = std::chrono::steady_clock::now();
  const auto end = next_write(shared_.counts->streams_open, now);
  if (end == now || woken_ || gone_) {
    co_return;
  }
  waker_->pause(true);
  wake_timer_.expires_at(end);
  co_await wake_timer_.async_wait(kTuple);
  waker_->pause(false);
}

asio::awaitable<void> Connection::send_error(Exchange& exchange, int status) {
  exchange.keep_alive = false;
  HttpOutput output{
      .reply = shared_.handler->error_reply(status, exchange.fault), .bytes = {}, .ended = true};
  if (status == 503) {
    output.reply->headers.push_back({.name = "Retry-After", .value = "1"});
  }
  co_await send(exchange, std::move(output));
}

asio::awaitable<void> Connection::write(std::string head, std::string body) {
  std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
  // What the system takes at once needs neither a deadline nor a turn of the loop: the pieces of a
  // stream are small.
  error_code at_once;
  size_t taken = socket_.write_some(buffers, at_once);
  if (!at_once && taken == head.size() + body.size()) {
    co_return;
  }
  for (asio::const_buffer& buffer : buffers) {
    const size_t of_buffer = std::min(taken, buffer.size());
    buffer += of_buffer;
    taken -= of_buffer;
  }
  writing_ = true;
  for (asio::const_buffer rest : buffers) {
    while (!gone_ && rest.size() > 0) {
      const asio::const_buffer piece = asio::buffer(rest, kWriteBytes);
      set_deadline(shared_.limits.write_time);
      const auto [error, bytes] = co_await asio::async_write(socket_, piece, kTuple);
      clear_deadline();
      gone_ = gone_ || static_cast<bool>(error);
      rest += bytes;
    }
  }
  writing_ = false;
}

// Closing a socket with unread bytes makes the system drop what was sent last: so a refused client
// is read for a moment.
asio::awaitable<void> Connection::linger() {
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  set_deadline(shared_.limits.linger_time);
  std::array<char, kReadBytes> unread;
  while (!expired_ && !half_closed_) {
    const auto [error, bytes] = co_await socket_.async_read_some(asio::buffer(unread), kTuple);
    if (error) {
      break;
    }
  }
}

}  // namespace invar

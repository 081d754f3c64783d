// The life of a connection (connection.h). With http_server.cc the only file that knows Beast or
// Asio's operations.
//
// No awaited call has an argument made on the spot: g++ 12 destroys such temporaries twice.
#include "server/http/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <ctime>
#include <utility>

#include "formats/printable.h"
#include "server/http/pacing.h"

namespace invar {

namespace asio = boost::asio;
namespace http = boost::beast::http;

using boost::system::error_code;

namespace {

// What a client may send ahead while its request is being answered; it waits for the next one.
constexpr size_t kSentAheadMax = size_t{16} << 10;
constexpr size_t kReadBytes = size_t{4} << 10;
// A deadline that finds nothing to cancel, because a read has just ended and the next has not
// begun, looks again.
constexpr std::chrono::milliseconds kDeadlineAgain{20};

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

// One request and its answer.
struct Connection::Exchange {
  http::request_parser<http::string_body> parser;
  HttpRequest request;
  std::string fault;  // for the client, where the connection refuses
  bool is_http_1_0 = false;
  bool has_head = false;   // `request` is filled but for its body
  bool keep_alive = true;  // after this answer
  bool body_pending = false;
  bool done = false;  // the answer was sent
  BodyFraming framing = BodyFraming::kLength;
  std::optional<PacedStream> stream;  // once it sends paced pieces
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
  stopping_ = true;
  interrupted_ = true;
  woken_ = true;
  wake_timer_.cancel();
}

void Connection::cut_off() {
  gone_ = true;
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
  Exchange exchange;
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
  const auto start = [this, &exchange]() -> asio::awaitable<std::unique_ptr<HttpTask>> {
    co_return shared_.handler->start(exchange.request,
                                     [waker = waker_](News news) { waker->wake(news); });
  };
  // A request without a body has no text to work on: it does not wait for those that have.
  std::unique_ptr<HttpTask> task;
  answering_ = true;
  if (exchange.request.body.empty()) {
    task = co_await start();
  } else {
    task = co_await asio::co_spawn(*shared_.text_threads, start, asio::use_awaitable);
  }
  exchange.request.body = std::string();
  using asio::experimental::awaitable_operators::operator||;
  co_await (send_task(exchange, *task) || watch(exchange));
  answering_ = false;
  if (!exchange.done) {
    shared_.counts->requests_abandoned += 1;
  }
  co_return exchange.done&& exchange.keep_alive && !gone_;
}

// Reading ---------------------------------------------------------------------------------------

namespace {

// The status that answers a failed read, 0 if nobody is there to be answered.
int status_of(error_code error, bool expired) {
  if (expired) {
    return 408;
  }
  if (error == http::error::body_limit) {
    return 413;
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return 431;
  }
  if (error == http::error::bad_version) {
    return 505;
  }
  const bool closed = error == http::error::end_of_stream || error == http::error::partial_message;
  const bool is_http = error.category() == make_error_code(http::error::bad_value).category();
  return is_http && !closed ? 400 : 0;
}

std::string fault_text(int status, error_code error, const HttpLimits& limits, bool in_head) {
  switch (status) {
    case 408:
      return fmt::format(
          "the request's {} did not arrive within {} s", in_head ? "head" : "body",
          static_cast<double>((in_head ? limits.header_time : limits.body_time).count()) / 1000);
    case 413:
      return fmt::format("the request's body is longer than {} bytes", limits.body_bytes_max);
    case 431:
      return fmt::format("the request's head is longer than {} bytes", limits.header_bytes_max);
    case 505:
      return "expected HTTP/1.1 or HTTP/1.0";
    default:
      return fmt::format("the request is not HTTP: {}", error.message());
  }
}

// What is wrong with a head that could be read; empty if nothing is.
std::string head_fault(const HttpRequest& request, bool is_http_1_0) {
  if (!request.path.starts_with('/')) {
    return "the request's target: expected a path that begins with '/'";
  }
  const int64_t hosts = request.count_headers("Host");
  if (hosts > 1 || (hosts == 0 && !is_http_1_0)) {
    return fmt::format("header 'Host': expected one, found {}", hosts);
  }
  // With another coding nobody can tell where the body ends, and the next request begins.
  const std::string* coding = request.find_header("Transfer-Encoding");
  if (coding != nullptr && (!equal_ignoring_case(*coding, "chunked") ||
                            request.count_headers("Transfer-Encoding") > 1)) {
    return fmt::format("header 'Transfer-Encoding': expected 'chunked', found '{}'",
                       printable(*coding, 80));
  }
  return {};
}

}  // namespace

asio::awaitable<int> Connection::read_head(Exchange& exchange) {
  auto& parser = exchange.parser;
  parser.header_limit(static_cast<uint32_t>(shared_.limits.header_bytes_max));
  parser.body_limit(shared_.limits.body_bytes_max);
  set_deadline(shared_.limits.header_time);
  const auto [error, bytes] = co_await http::async_read_header(socket_, buffer_, parser, kTuple);
  clear_deadline();
  if (error) {
    const int status = gone_ ? 0 : status_of(error, expired_);
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
    std::string head = "HTTP/1.1 100 Continue\r\n\r\n";
    std::string body;
    co_await write(std::move(head), std::move(body));
    if (gone_) {
      co_return 0;
    }
  }
  set_deadline(shared_.limits.body_time);
  const auto [error, bytes] = co_await http::async_read(socket_, buffer_, exchange.parser, kTuple);
  clear_deadline();
  if (error) {
    const int status = gone_ ? 0 : status_of(error, expired_);
    gone_ = gone_ || status == 0;
    exchange.fault = fault_text(status, error, shared_.limits, /*in_head=*/false);
    co_return status;
  }
  exchange.body_pending = false;
  exchange.request.body = std::move(exchange.parser.get().body());
  co_return 0;
}

// Looks for the client's end while its request is answered, also when nothing is written for long.
asio::awaitable<void> Connection::watch(Exchange& exchange) {
  size_t sent_ahead = buffer_.size();
  while (sent_ahead < kSentAheadMax) {
    const size_t room = std::min(kReadBytes, kSentAheadMax - sent_ahead);
    const auto [error, bytes] = co_await socket_.async_read_some(buffer_.prepare(room), kTuple);
    buffer_.commit(bytes);
    sent_ahead += bytes;
    if (exchange.done) {
      co_return;
    }
    if (error) {
      gone_ = true;
      co_return;
    }
  }
  // This client sends ahead too much to be watched: its end is seen when something is written.
  asio::steady_timer never(socket_.get_executor(), asio::steady_timer::time_point::max());
  co_await never.async_wait(kTuple);
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
    exchange.keep_alive =
        exchange.keep_alive && !stopping_ && exchange.framing != BodyFraming::kClose;
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
  set_deadline(shared_.limits.write_time);
  const auto [error, bytes] = co_await asio::async_write(socket_, buffers, kTuple);
  clear_deadline();
  gone_ = gone_ || static_cast<bool>(error);
}

// Closing a socket with unread bytes makes the system drop what was sent last: so a refused client
// is read for a moment.
asio::awaitable<void> Connection::linger() {
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  set_deadline(shared_.limits.linger_time);
  std::array<char, kReadBytes> unread;
  while (!expired_) {
    const auto [error, bytes] = co_await socket_.async_read_some(asio::buffer(unread), kTuple);
    if (error) {
      break;
    }
  }
}

}  // namespace invar

// One connection: requests as they may come, and what a client gets for wrong or slow ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/toy_server.h"
#include "server_support/http_client.h"

namespace invar {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::string_view kHello = "GET /hello HTTP/1.1\r\nHost: t\r\n\r\n";

HttpServerOptions short_times() {
  HttpServerOptions options;
  options.limits.header_time = milliseconds(150);
  options.limits.body_time = milliseconds(150);
  options.limits.idle_time = milliseconds(300);
  options.limits.write_time = milliseconds(300);
  return options;
}

TEST(Connection, AnswersSeveralRequestsInTurn) {
  ToyServer server;
  HttpClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    const auto reply = client.get("/hello");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "hello");
    EXPECT_EQ(reply->header("Connection"), "keep-alive");
    EXPECT_EQ(reply->header("X-Method"), "GET");
  }
  EXPECT_EQ(server.counts.connections_accepted, 1);
}

TEST(Connection, RequestsMayBeSentAhead) {
  ToyServer server;
  HttpClient client(server.port());
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += post_text("/echo", std::to_string(i));
    requests += "GET /stream HTTP/1.1\r\nHost: t\r\n\r\n";
  }
  ASSERT_TRUE(client.send(requests));
  for (int i = 0; i < 50; ++i) {
    const auto echo = client.read();
    ASSERT_TRUE(echo);
    EXPECT_EQ(echo->body, std::to_string(i));
    const auto stream = client.read();
    ASSERT_TRUE(stream);
    EXPECT_THAT(stream->body, HasSubstr("piece 10\n"));
  }
}

TEST(Connection, RequestsWithoutABodyDoNotWaitForText) {
  HttpServerOptions options;
  options.text_threads = 1;
  ToyServer server(options);
  HttpClient busy(server.port());
  ASSERT_TRUE(busy.send(post_text("/ponder", "long")));
  ASSERT_TRUE(eventually([&] { return server.handler.pondering == 1; }));
  HttpClient other(server.port());
  const auto reply = other.get("/hello");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(server.handler.pondering, 1);
  server.handler.release();
  const auto late = busy.read();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->body, "pondered");
}

TEST(Connection, BytesMayComeOneByOne) {
  ToyServer server;
  HttpClient client(server.port());
  for (const char byte : post_text("/echo", "some text")) {
    ASSERT_TRUE(client.send(std::string_view(&byte, 1)));
  }
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "some text");
}

TEST(Connection, BodiesMayBeChunkedAndLarge) {
  ToyServer server;
  HttpClient client(server.port());
  const std::string half(300'000, 'y');
  ASSERT_TRUE(client.send(
      fmt::format("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n{0:x}\r\n"
                  "{1}\r\n{0:x}\r\n{1}\r\n0\r\n\r\n",
                  half.size(), half)));
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, half + half);
}

TEST(Connection, StreamsInChunks) {
  ToyServer server;
  HttpClient client(server.port());
  const auto reply = client.get("/stream");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->header("Transfer-Encoding"), "chunked");
  EXPECT_THAT(reply->body, HasSubstr("piece 1\npiece 2\n"));
  EXPECT_EQ(client.get("/hello")->body, "hello");
}

TEST(Connection, OldClientsGetAPlainStream) {
  ToyServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("GET /stream HTTP/1.0\r\n\r\n"));
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->header("Transfer-Encoding"), "");
  EXPECT_EQ(reply->header("Connection"), "close");
  EXPECT_THAT(reply->body, HasSubstr("piece 1\npiece 2\n"));
  EXPECT_TRUE(reply->body.ends_with("piece 10\n"));
}

TEST(Connection, ClosesWhenAsked) {
  ToyServer server;
  HttpClient client(server.port());
  const auto reply = client.get("/hello", "Connection: close\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->header("Connection"), "close");
  EXPECT_TRUE(client.is_closed_within(milliseconds(5000)));
}

TEST(Connection, HeadHasNoBody) {
  ToyServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("HEAD /hello HTTP/1.1\r\nHost: t\r\n\r\n"));
  const auto reply = client.read(/*has_body=*/false);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->header("Content-Length"), "5");
  EXPECT_EQ(client.get("/hello")->body, "hello");
}

TEST(Connection, AsksForABodyThatWaits) {
  ToyServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(
      "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"));
  ASSERT_EQ(client.read().value().status, 100);
  ASSERT_TRUE(client.send("abc"));
  EXPECT_EQ(client.read().value().body, "abc");
}

struct BadCase {
  const char* name;
  std::string bytes;
  int status;
  const char* message;
};

std::vector<BadCase> bad_cases() {
  return {
      {"no HTTP", "hello\r\n\r\n", 400, "not HTTP"},
      {"no target", "GET\r\n\r\n", 400, "not HTTP"},
      {"bad method", "G\x01T / HTTP/1.1\r\n\r\n", 400, "not HTTP"},
      {"bad header", "GET /hello HTTP/1.1\r\nHost: t\r\nbad header\r\n\r\n", 400, "not HTTP"},
      {"bad length", "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n", 400, "HTTP"},
      {"two lengths",
       "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400,
       "not HTTP"},
      {"bad chunk", "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
       400, "not HTTP"},
      {"no host", "GET /hello HTTP/1.1\r\n\r\n", 400, "'Host'"},
      {"no path", "GET hello HTTP/1.1\r\nHost: t\r\n\r\n", 400, "target"},
      {"version", "GET /hello HTTP/3.0\r\nHost: t\r\n\r\n", 505, "HTTP/1.1"},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/1.1"},
      {"expectation", "POST /echo HTTP/1.1\r\nHost: t\r\nExpect: more\r\nContent-Length: 1\r\n\r\n",
       417, "'Expect'"},
      {"long target", "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: t\r\n\r\n", 431,
       "16384"},
      {"long header",
       "GET /hello HTTP/1.1\r\nHost: t\r\nX: " + std::string(100'000, 'a') + "\r\n\r\n", 431,
       "16384"},
      {"long body", "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 8388609\r\n\r\n", 413,
       "8388608"},
      {"long chunks",
       "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", 413,
       "8388608"},
      {"unknown path", post_text("/nope", "body"), 404, "no such path"}};
}

TEST(Connection, RefusesWhatIsWrong) {
  ToyServer server;
  for (const BadCase& bad : bad_cases()) {
    HttpClient client(server.port());
    client.send(bad.bytes);  // The server may close before it has read all.
    const auto reply = client.read();
    ASSERT_TRUE(reply) << bad.name;
    EXPECT_EQ(reply->status, bad.status) << bad.name << ": " << reply->body;
    EXPECT_THAT(reply->body, HasSubstr(bad.message)) << bad.name;
    EXPECT_EQ(reply->header("Connection"), "close") << bad.name;
  }
  EXPECT_EQ(HttpClient(server.port()).get("/hello")->body, "hello");
  EXPECT_TRUE(eventually([&] { return server.counts.connections_open == 0; }));
}

TEST(Connection, AnEarlyRefusalWithoutABodyKeepsTheConnection) {
  ToyServer server;
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/nope")->status, 404);
  EXPECT_EQ(client.get("/hello")->body, "hello");
}

TEST(Connection, SlowSendersAreToldSo) {
  ToyServer server(short_times());
  HttpClient slow_head(server.port());
  HttpClient slow_body(server.port());
  ASSERT_TRUE(slow_head.send("GET /hello HT"));
  ASSERT_TRUE(slow_body.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nabc"));
  for (HttpClient* client : {&slow_head, &slow_body}) {
    const auto reply = client->read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 408);
    EXPECT_THAT(reply->body, HasSubstr("did not arrive within 0.15 s"));
  }
}

// A byte now and then does not lengthen the time.
TEST(Connection, DribblingDoesNotHelp) {
  ToyServer server(short_times());
  HttpClient client(server.port());
  const auto begin = std::chrono::steady_clock::now();
  std::string text(kHello);
  text.insert(text.size() - 2, "X: " + std::string(2000, 'x') + "\r\n");
  for (const char byte : text) {
    if (!client.send(std::string_view(&byte, 1)) ||
        std::chrono::steady_clock::now() - begin > milliseconds(1000)) {
      break;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(client.read().value().status, 408);
}

TEST(Connection, IdleClientsAreLeftWithoutAWord) {
  ToyServer server(short_times());
  HttpClient silent(server.port());
  HttpClient used(server.port());
  EXPECT_EQ(used.get("/hello")->body, "hello");
  EXPECT_TRUE(silent.is_closed_within(milliseconds(5000)));
  EXPECT_TRUE(used.is_closed_within(milliseconds(5000)));
}

TEST(Connection, AClientThatGoesAwayEndsItsTask) {
  ToyServer server;
  {
    HttpClient closing(server.port());
    HttpClient resetting(server.port());
    for (HttpClient* client : {&closing, &resetting}) {
      ASSERT_TRUE(client->send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n"));
      EXPECT_THAT(client->wait_for("\r\n\r\n"), HasSubstr("200 OK"));
    }
    EXPECT_EQ(server.handler.tasks, 2);
    resetting.reset();
    EXPECT_TRUE(eventually([&] { return server.handler.tasks == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return server.handler.tasks == 0; }));
  EXPECT_TRUE(eventually([&] { return server.counts.connections_open == 0; }));
  EXPECT_EQ(server.counts.requests_abandoned, 2);
}

TEST(Connection, AClientThatDoesNotReadIsLeft) {
  ToyServer server(short_times());
  HttpClient client(server.port());
  client.set_receive_buffer(4096);
  ASSERT_TRUE(client.send("GET /flood HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_TRUE(eventually([&] { return server.handler.tasks == 1; }));
  EXPECT_TRUE(eventually([&] { return server.handler.tasks == 0; }));
  EXPECT_EQ(server.counts.requests_abandoned, 1);
}

// The answer is under way while the client has sent more than the server keeps for later.
TEST(Connection, ATooEagerClientIsNotReadForEver) {
  ToyServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n"));
  std::string requests;
  for (int i = 0; i < 1000; ++i) {
    requests += kHello;
  }
  ASSERT_TRUE(client.send(requests));
  std::this_thread::sleep_for(milliseconds(20));
  server.handler.release();
  EXPECT_EQ(client.read().value().status, 200);
  for (int i = 0; i < 1000; ++i) {
    const auto reply = client.read();
    ASSERT_TRUE(reply) << i;
    ASSERT_EQ(reply->body, "hello");
  }
}

TEST(Connection, AClientThatLeavesStopsTheWorkOnItsText) {
  HttpServerOptions options;
  options.text_threads = 1;
  ToyServer server(options);
  HttpClient at_work(server.port());
  ASSERT_TRUE(at_work.send(post_text("/ponder", "long")));
  ASSERT_TRUE(eventually([&] { return server.handler.pondering == 1; }));
  HttpClient waiting(server.port());
  ASSERT_TRUE(waiting.send(post_text("/ponder", "long, too")));
  ASSERT_TRUE(eventually([&] { return server.counts.body_bytes_held == 4 + 9; }));
  waiting.close();
  at_work.close();
  EXPECT_TRUE(eventually([&] { return server.counts.connections_open == 0; }));
  EXPECT_EQ(server.handler.pondering, 0);
  EXPECT_EQ(server.counts.text_running, 0);
  EXPECT_EQ(server.counts.body_bytes_held, 0);
  EXPECT_EQ(server.counts.requests_abandoned, 2);
}

TEST(Connection, TheEndOfTheServerStopsTheWorkOnText) {
  HttpServerOptions options;
  options.grace = milliseconds(0);
  ToyServer server(options);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(post_text("/ponder", "long")));
  ASSERT_TRUE(eventually([&] { return server.handler.pondering == 1; }));
  server.stop();
  server.join();
  EXPECT_EQ(server.handler.pondering, 0);
}

// The client sends no more and reads on: it gets all of its answer, and then the end.
TEST(Connection, AHalfClosedClientGetsItsAnswer) {
  ToyServer server;
  HttpClient hello(server.port());
  HttpClient stream(server.port());
  HttpClient waiting(server.port());
  HttpClient pondering(server.port());
  HttpClient old(server.port());
  ASSERT_TRUE(hello.send(kHello));
  ASSERT_TRUE(stream.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n"));
  ASSERT_TRUE(waiting.send("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n"));
  ASSERT_TRUE(pondering.send(post_text("/ponder", "long")));
  ASSERT_TRUE(old.send("GET /wait HTTP/1.0\r\n\r\n"));
  for (HttpClient* client : {&hello, &stream, &waiting, &pondering, &old}) {
    client->close_for_writing();
  }
  EXPECT_EQ(hello.read().value().body, "hello");
  EXPECT_TRUE(stream.read().value().body.ends_with("piece 10\n"));
  // These two find out that the client is there: by an interim reply, and by the filler.
  EXPECT_EQ(pondering.read().value().status, 100);
  EXPECT_THAT(waiting.wait_for(".\r\n"), HasSubstr("200 OK"));
  EXPECT_THAT(old.wait_for("\r\n\r\n."), HasSubstr("200 OK"));
  server.handler.release();
  EXPECT_EQ(pondering.read().value().body, "pondered");
  EXPECT_EQ(waiting.read().value().body, ".");
  EXPECT_EQ(old.read().value().body, ".");
  for (HttpClient* client : {&hello, &stream, &waiting, &pondering, &old}) {
    EXPECT_TRUE(client->is_closed_within(milliseconds(5000)));
  }
  EXPECT_EQ(server.counts.requests_abandoned, 0);
}

TEST(Connection, AHalfClosedClientGetsAllItAskedFor) {
  ToyServer server;
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(std::string(kHello) + post_text("/echo", "abc") + std::string(kHello)));
  client.close_for_writing();
  for (const char* body : {"hello", "abc", "hello"}) {
    std::optional<ClientReply> reply = client.read();
    while (reply && reply->status == 100) {  // the server may ask whether the client is there
      reply = client.read();
    }
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, body);
  }
  EXPECT_TRUE(client.is_closed_within(milliseconds(5000)));
}

TEST(Connection, BodiesTogetherHaveALimit) {
  HttpServerOptions options;
  options.limits.bodies_bytes_max = 1000;
  ToyServer server(options);
  HttpClient slow(server.port());
  ASSERT_TRUE(slow.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 900\r\n\r\n" +
                        std::string(800, 'x')));
  ASSERT_TRUE(eventually([&] { return server.counts.body_bytes_held == 800; }));
  HttpClient refused(server.port());
  ASSERT_TRUE(refused.send(post_text("/echo", std::string(300, 'y'))));
  const auto reply = refused.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 503);
  EXPECT_EQ(reply->header("Retry-After"), "1");
  EXPECT_EQ(reply->body, "the server holds 1000 bytes of requests' bodies, its limit");
  EXPECT_TRUE(eventually([&] { return server.counts.body_bytes_held == 800; }));
  EXPECT_EQ(server.counts.bodies_refused, 1);
  // The others go on.
  EXPECT_EQ(HttpClient(server.port()).post("/echo", std::string(100, 'z'))->status, 200);
  ASSERT_TRUE(slow.send(std::string(100, 'x')));
  EXPECT_EQ(slow.read().value().body.size(), 900u);
  EXPECT_EQ(server.counts.body_bytes_held, 0);
}

// A byte now and then is no reading: what the system takes meanwhile is bounded.
TEST(Connection, AClientThatReadsByByteIsLeft) {
  ToyServer server(short_times());
  HttpClient client(server.port());
  client.set_receive_buffer(4096);
  ASSERT_TRUE(client.send("GET /flood HTTP/1.1\r\nHost: t\r\n\r\n"));
  EXPECT_TRUE(eventually([&] { return server.handler.tasks == 1; }));
  EXPECT_TRUE(eventually([&] {
    client.read_byte();
    return server.handler.tasks == 0;
  }));
  EXPECT_LT(server.handler.flooded, 2 << 20);
  EXPECT_EQ(server.counts.requests_abandoned, 1);
}

}  // namespace
}  // namespace invar

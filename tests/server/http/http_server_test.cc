// Listening, the limit of connections, and the way to an end.
#include "server/http/http_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>

#include "core/error.h"
#include "core/log.h"
#include "server/http/toy_server.h"
#include "server_support/http_client.h"

namespace invar {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::string_view kWait = "GET /wait HTTP/1.1\r\nHost: t\r\n\r\n";

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return fmt::format("{}: {}", code_name(error.code()), error.what());
  }
  return "no error";
}

TEST(HttpServer, SaysWhyItCannotListen) {
  ToyServer server;
  EXPECT_THAT(error_of([&] { ToyServer({.port = server.port()}); }),
              HasSubstr(fmt::format("127.0.0.1:{}: cannot listen: ", server.port())));
  EXPECT_THAT(error_of([] { ToyServer({.host = "no such host.invalid"}); }),
              HasSubstr("--host: expected an address or a host's name, found 'no such"));
}

TEST(HttpServer, ListensOnNamesAndIpv6) {
  ToyServer by_name({.host = "localhost"});
  EXPECT_NE(by_name.port(), 0);
}

TEST(HttpServer, RefusesConnectionsOverTheLimit) {
  HttpServerOptions options;
  options.limits.connections_max = 2;
  ToyServer server(options);
  HttpClient first(server.port());
  HttpClient second(server.port());
  ASSERT_EQ(first.get("/hello")->body, "hello");
  ASSERT_EQ(second.get("/hello")->body, "hello");
  HttpClient third(server.port());
  const auto reply = third.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 503);
  EXPECT_EQ(reply->header("Retry-After"), "1");
  EXPECT_THAT(reply->body, HasSubstr("2 connections"));
  EXPECT_EQ(server.counts.connections_refused, 1);
  first.close();
  EXPECT_TRUE(eventually([&] { return server.counts.connections_open == 1; }));
  EXPECT_EQ(HttpClient(server.port()).get("/hello")->body, "hello");
}

TEST(HttpServer, StopClosesIdleConnectionsAndFinishesOthers) {
  ToyServer server;
  HttpClient idle(server.port());
  HttpClient busy(server.port());
  ASSERT_EQ(idle.get("/hello")->body, "hello");
  ASSERT_TRUE(busy.send(kWait));
  EXPECT_THAT(busy.wait_for("\r\n\r\n"), HasSubstr("200 OK"));
  server.stop();
  EXPECT_TRUE(idle.is_closed_within(milliseconds(5000)));
  EXPECT_EQ(server.handler.tasks, 1);
  server.handler.release();
  EXPECT_TRUE(busy.read().has_value());
  server.join();
  EXPECT_EQ(server.counts.connections_open, 0);
  EXPECT_EQ(server.counts.requests_abandoned, 0);
}

TEST(HttpServer, TheGraceTimeEnds) {
  set_log_level(LogLevel::kOff);
  HttpServerOptions options;
  options.grace = milliseconds(50);
  ToyServer server(options);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(kWait));
  client.wait_for("\r\n\r\n");
  HttpClient sending(server.port());
  ASSERT_TRUE(sending.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"));
  EXPECT_TRUE(eventually([&] { return server.counts.connections_open == 2; }));
  server.stop();
  server.stop();
  EXPECT_EQ(client.read().value_or(ClientReply{}).body, "interrupted");
  EXPECT_TRUE(sending.is_closed_within(milliseconds(5000)));
  client.close();
  server.join();
  EXPECT_EQ(server.handler.tasks, 0);
  EXPECT_EQ(server.counts.requests_abandoned, 0);
  set_log_level(LogLevel::kWarn);
}

TEST(HttpServer, AClientThatTakesNothingIsCutOffAfterTheGraceTime) {
  set_log_level(LogLevel::kOff);
  HttpServerOptions options;
  options.grace = milliseconds(50);
  options.limits.linger_time = milliseconds(50);
  ToyServer server(options);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("GET /flood HTTP/1.1\r\nHost: a\r\n\r\n"));
  client.wait_for("\r\n\r\n");
  server.stop();
  server.join();
  EXPECT_EQ(server.handler.tasks, 0);
  EXPECT_EQ(server.counts.requests_abandoned, 1);
  set_log_level(LogLevel::kWarn);
}

TEST(HttpServer, ATextThatIsWorkedOnWhenTheGraceTimeEndsIsAnswered) {
  set_log_level(LogLevel::kOff);
  HttpServerOptions options;
  options.grace = milliseconds(1);
  ToyServer server(options);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send("POST /ponder HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na"));
  EXPECT_TRUE(eventually([&] { return server.handler.pondering == 1; }));
  server.stop();
  std::this_thread::sleep_for(milliseconds(50));
  server.handler.release();
  EXPECT_EQ(client.read().value_or(ClientReply{}).body, "pondered");
  client.close();
  server.join();
  set_log_level(LogLevel::kWarn);
}

TEST(HttpServer, SignalsStopIt) {
  HttpServerOptions options;
  options.stop_on_signals = true;
  ToyServer server(options);
  HttpClient client(server.port());
  ASSERT_TRUE(client.send(kWait));
  client.wait_for("\r\n\r\n");
  std::raise(SIGTERM);
  // No longer listening, and the answer goes on until the second signal.
  EXPECT_TRUE(eventually([&] {
    HttpClient late(server.port());
    return !late.send("x") || late.is_closed_within(milliseconds(10));
  }));
  EXPECT_EQ(server.handler.tasks, 1);
  std::raise(SIGINT);
  server.join();
  EXPECT_EQ(server.handler.tasks, 0);
}

TEST(HttpServer, ManyIdleStreamsShareOneThread) {
  ToyServer server;
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server.port()));
    ASSERT_TRUE(clients.back()->send(kWait));
  }
  EXPECT_TRUE(eventually([&] { return server.handler.tasks == 300; }));
  EXPECT_EQ(HttpClient(server.port()).get("/hello")->body, "hello");
  server.handler.release();
  for (const auto& client : clients) {
    EXPECT_EQ(client->read().value().status, 200);
  }
  EXPECT_TRUE(eventually([&] { return server.handler.tasks == 0; }));
}

}  // namespace
}  // namespace invar

// Many streams gather what they send; few do not; an answer's end never waits.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>

#include "server/http/pacing.h"
#include "server/http/toy_server.h"
#include "server/http/waker.h"
#include "server_support/http_client.h"

namespace invar {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kPaced = "GET /paced HTTP/1.1\r\nHost: t\r\n\r\n";

// Opens `count` streams and waits until each has sent something.
std::deque<HttpClient> open_streams(ToyServer& server, int count) {
  std::deque<HttpClient> clients;
  for (int i = 0; i < count; ++i) {
    HttpClient& client = clients.emplace_back(server.port());
    EXPECT_TRUE(client.send(kPaced));
    client.wait_for("\r\n\r\n");
  }
  EXPECT_TRUE(eventually([&] {
    server.handler.tell();
    return server.counts.streams_open == count;
  }));
  return clients;
}

TEST(Pacing, ManyStreamsAreLookedAtOnceATick) {
  constexpr int kStreams = 16;
  ToyServer server;
  auto clients = open_streams(server, kStreams);
  const int before = server.handler.paced_polls;
  const auto begin = Clock::now();
  constexpr int kWakes = 400;
  for (int i = 0; i < kWakes; ++i) {
    server.handler.tell();
    std::this_thread::sleep_for(milliseconds(1));
  }
  const int64_t ticks = (Clock::now() - begin) / milliseconds(kStreams);
  // Two looks a tick: one that finds a byte, one that finds nothing.
  const int64_t polls = (server.handler.paced_polls - before) / kStreams;
  EXPECT_LE(polls, 2 * (ticks + 2));
  EXPECT_GE(polls, 2);
  server.handler.release();
  for (HttpClient& client : clients) {
    const auto reply = client.read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
  }
  EXPECT_TRUE(eventually([&] { return server.counts.streams_open == 0; }));
}

TEST(Pacing, FewStreamsAreLookedAtWithEveryWake) {
  ToyServer server;
  auto clients = open_streams(server, 2);
  for (int i = 0; i < 50; ++i) {
    const int before = server.handler.paced_polls;
    server.handler.tell();
    EXPECT_TRUE(eventually([&] { return server.handler.paced_polls >= before + 2; }));
  }
}

TEST(Pacing, AStreamThatIsGoneCountsNoMore) {
  ToyServer server;
  auto clients = open_streams(server, 9);
  clients.front().reset();
  EXPECT_TRUE(eventually([&] { return server.counts.streams_open == 8; }));
}

TEST(Pacing, TicksAreSharedAndGrowWithTheStreams) {
  const Clock::time_point now(milliseconds(1001));
  EXPECT_EQ(next_write(7, now), now);
  EXPECT_EQ(next_write(8, now), Clock::time_point(milliseconds(1008)));
  EXPECT_EQ(next_write(8, Clock::time_point(milliseconds(1007))),
            Clock::time_point(milliseconds(1008)));
  EXPECT_EQ(next_write(1000, now), Clock::time_point(milliseconds(1050)));
}

TEST(Pacing, OnlyTheEndWakesDuringAPause) {
  boost::asio::io_context loop;
  int wakes = 0;
  const auto waker = std::make_shared<Waker>(loop.get_executor(), [&] { ++wakes; });
  const auto wakes_after = [&](News news) {
    wakes = 0;
    waker->wake(news);
    waker->wake(news);
    loop.restart();
    loop.poll();
    return wakes;
  };
  EXPECT_EQ(wakes_after(News::kMore), 1);
  waker->pause(true);
  EXPECT_EQ(wakes_after(News::kMore), 0);
  EXPECT_EQ(wakes_after(News::kLast), 1);
  waker->pause(false);
  EXPECT_EQ(wakes_after(News::kMore), 1);
  waker->close();
  EXPECT_EQ(wakes_after(News::kLast), 0);
}

}  // namespace
}  // namespace invar

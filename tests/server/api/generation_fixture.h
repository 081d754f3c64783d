// Requests, streams and a server over a pretended model, for tests of the endpoints that generate.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/log.h"
#include "engine/fake_runner.h"
#include "server/http/toy_server.h"
#include "server_support/http_client.h"
#include "server_support/running_server.h"

namespace invar {

inline constexpr const char* kChat = "/v1/chat/completions";
inline constexpr const char* kCompletions = "/v1/completions";

// Biases that leave the letters a to h.
inline nlohmann::json letter_bias() {
  nlohmann::json bias = nlohmann::json::object();
  for (int32_t id = 0; id < kByteVocabulary; ++id) {
    if (id < byte_id('a') || id > byte_id('h')) {
      bias[std::to_string(id)] = -100;
    }
  }
  return bias;
}

inline nlohmann::json chat(nlohmann::json more = nlohmann::json::object()) {
  nlohmann::json body = {{"model", kTestModel},
                         {"messages", {{{"role", "user"}, {"content", "Tell me."}}}},
                         {"max_tokens", 40},
                         {"seed", 7},
                         {"logit_bias", letter_bias()}};
  body.update(more);
  return body;
}

inline nlohmann::json completion(nlohmann::json more = nlohmann::json::object()) {
  nlohmann::json body = {
      {"prompt", "Once"}, {"max_tokens", 40}, {"seed", 7}, {"logit_bias", letter_bias()}};
  body.update(more);
  return body;
}

// The events of a stream: JSON of each, and whether [DONE] came last.
struct EventStream {
  std::vector<nlohmann::json> events;
  bool done = false;
};
inline EventStream parse_stream(const std::string& body) {
  EventStream stream;
  for (size_t at = 0; at < body.size();) {
    const size_t end = body.find("\n\n", at);
    EXPECT_EQ(body.substr(at, 6), "data: ");
    const std::string data = body.substr(at + 6, end - at - 6);
    EXPECT_FALSE(stream.done);
    if (data == "[DONE]") {
      stream.done = true;
    } else {
      stream.events.push_back(nlohmann::json::parse(data));
    }
    at = end + 2;
  }
  return stream;
}

// The text of one choice of a stream.
inline std::string text_of(const EventStream& stream, int choice = 0) {
  std::string text;
  for (const nlohmann::json& event : stream.events) {
    for (const nlohmann::json& each : event["choices"]) {
      if (each["index"] == choice) {
        text += each.contains("text") ? each["text"].get<std::string>()
                                      : each["delta"].value("content", "");
      }
    }
  }
  return text;
}

// Lets a pass begin only when told, so that a test can look at a request that runs.
class Gate {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    waits_ = true;
    changed_.wait(lock, [&] { return open_; });
    waits_ = false;
  }
  bool has_waiting() {
    const std::lock_guard lock(mutex_);
    return waits_ && !open_;
  }
  void set(bool open) {
    {
      const std::lock_guard lock(mutex_);
      open_ = open;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  bool waits_ = false;
};

class GenerationTest : public testing::Test {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::kOff);
    runner_.on_run = [this] { gate_.wait(); };
  }
  void TearDown() override {
    gate_.set(true);
    set_log_level(LogLevel::kWarn);
  }

  static nlohmann::json post(uint16_t port, const char* path, const nlohmann::json& body) {
    const auto reply = HttpClient(port).post(path, body.dump());
    EXPECT_TRUE(reply.has_value());
    return reply ? reply->json() : nlohmann::json();
  }
  static EventStream stream(uint16_t port, const char* path, nlohmann::json body) {
    body["stream"] = true;
    const auto reply = HttpClient(port).post(path, body.dump());
    EXPECT_TRUE(reply.has_value());
    EXPECT_EQ(reply->header("Content-Type"), "text/event-stream; charset=utf-8");
    return parse_stream(reply->body);
  }

  Gate gate_;
  FakeRunner runner_{{.context_positions = 512,
                      .kv_blocks = 128,
                      .rows_max = 64,
                      .segments_max = 32,
                      .logit_rows_max = 32},
                     kByteVocabulary};
};

}  // namespace invar

// Generations over HTTP, on a pretended model: whole and streamed, alone and among others, and the
// ends that are not the usual one.
#include "server/api/generation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "server/api/generation_fixture.h"

namespace invar {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST_F(GenerationTest, AChatAnswer) {
  RunningServer server(runner_);
  const json body = post(server.port(), kChat, chat());
  EXPECT_THAT(body["id"].get<std::string>(), HasSubstr("chatcmpl-"));
  EXPECT_EQ(body["object"], "chat.completion");
  EXPECT_EQ(body["model"], kTestModel);
  EXPECT_EQ(body["system_fingerprint"], "m0-p0-n1");
  EXPECT_EQ(body["seed"], 7);
  ASSERT_EQ(body["choices"].size(), 1u);
  const json& choice = body["choices"][0];
  EXPECT_EQ(choice["message"]["role"], "assistant");
  EXPECT_EQ(choice["message"]["content"].get<std::string>().size(), 40u);
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_TRUE(choice["logprobs"].is_null());
  // "<s>user: Tell me.\nassistant:"
  EXPECT_EQ(body["usage"],
            json({{"prompt_tokens", 26}, {"completion_tokens", 40}, {"total_tokens", 66}}));
}

TEST_F(GenerationTest, StreamsAreTheSameInPieces) {
  RunningServer server(runner_);
  const json more = {{"n", 3}, {"stop", {"abc", "ha"}}, {"logprobs", true}, {"top_logprobs", 2}};
  const json whole = post(server.port(), kChat, chat(more));
  json with_usage = chat(more);
  with_usage["stream_options"] = {{"include_usage", true}};
  const EventStream streamed = stream(server.port(), kChat, with_usage);
  EXPECT_TRUE(streamed.done);
  for (int index = 0; index < 3; ++index) {
    const json& choice = whole["choices"][index];
    EXPECT_EQ(text_of(streamed, index), choice["message"]["content"]);
    json logprobs = json::array();
    json finish;
    bool has_role = false;
    for (const json& event : streamed.events) {
      EXPECT_EQ(event["object"], "chat.completion.chunk");
      for (const json& each : event["choices"]) {
        if (each["index"] == index) {
          EXPECT_TRUE(finish.is_null());
          finish = each["finish_reason"];
          has_role = has_role || each["delta"].contains("role");
          if (!each["logprobs"].is_null()) {
            for (const json& entry : each["logprobs"]["content"]) {
              logprobs.push_back(entry);
            }
          }
        }
      }
    }
    EXPECT_TRUE(has_role);
    EXPECT_EQ(finish, choice["finish_reason"]);
    EXPECT_EQ(logprobs, choice["logprobs"]["content"]);
  }
  EXPECT_EQ(streamed.events.back()["usage"], whole["usage"]);
  EXPECT_TRUE(streamed.events.back()["choices"].empty());
  EXPECT_TRUE(streamed.events.front()["usage"].is_null());
}

TEST_F(GenerationTest, WithoutTheOptionNoUsageIsStreamed) {
  RunningServer server(runner_);
  for (const json& event : stream(server.port(), kChat, chat()).events) {
    EXPECT_FALSE(event.contains("usage"));
    EXPECT_EQ(event["choices"].size(), 1u);
  }
}

TEST_F(GenerationTest, DefaultsOfMaxTokens) {
  RunningServer server(runner_);
  json body = completion();
  body.erase("max_tokens");
  EXPECT_EQ(post(server.port(), kCompletions, body)["usage"]["completion_tokens"], 16);
  body = chat({{"ignore_eos", true}});
  body.erase("max_tokens");
  EXPECT_EQ(post(server.port(), kChat, body)["usage"]["total_tokens"], 512);
}

TEST_F(GenerationTest, StopStringsAreNeverSent) {
  RunningServer server(runner_);
  const std::string text = post(server.port(), kChat, chat())["choices"][0]["message"]["content"];
  for (size_t begin = 0; begin + 3 < text.size(); ++begin) {
    const std::string stop = text.substr(begin, 3);
    const json body = chat({{"stop", stop}});
    const json whole = post(server.port(), kChat, body);
    const size_t found = text.find(stop);
    EXPECT_EQ(whole["choices"][0]["message"]["content"], text.substr(0, found));
    EXPECT_EQ(whole["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(whole["usage"]["completion_tokens"], found + 3);
    EXPECT_EQ(text_of(stream(server.port(), kChat, body)), text.substr(0, found));
  }
}

TEST_F(GenerationTest, AnEndTokenStops) {
  RunningServer server(runner_);
  json only_end = json::object();
  for (int32_t id = 0; id < kByteVocabulary; ++id) {
    only_end[std::to_string(id)] = id == kEosId ? 0 : -100;
  }
  const json ended = post(server.port(), kChat, chat({{"logit_bias", only_end}}));
  EXPECT_EQ(ended["choices"][0]["message"]["content"], "");
  EXPECT_EQ(ended["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(ended["usage"]["completion_tokens"], 1);
  const json ignored =
      post(server.port(), kChat, chat({{"logit_bias", only_end}, {"ignore_eos", true}}));
  EXPECT_EQ(ignored["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(ignored["usage"]["completion_tokens"], 40);
}

TEST_F(GenerationTest, ASeedThatIsDrawnIsTold) {
  RunningServer server(runner_);
  json body = chat();
  body.erase("seed");
  const json first = post(server.port(), kChat, body);
  const json second = post(server.port(), kChat, body);
  EXPECT_NE(first["seed"], second["seed"]);
  EXPECT_NE(first["choices"], second["choices"]);
  EXPECT_EQ(post(server.port(), kChat, chat({{"seed", first["seed"]}}))["choices"],
            first["choices"]);
}

TEST_F(GenerationTest, TheSameAloneAndAmongOthers) {
  RunningServer server(runner_);
  std::vector<json> alone;
  for (int i = 0; i < 16; ++i) {
    alone.push_back(post(server.port(), kChat, chat({{"seed", i}, {"n", 2}}))["choices"]);
  }
  std::vector<std::thread> threads;
  std::vector<json> among(16);
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      among[i] = post(server.port(), kChat, chat({{"seed", i}, {"n", 2}}))["choices"];
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(among, alone);
}

TEST_F(GenerationTest, APromptOverTheContextIsToldBothNumbers) {
  RunningServer server(runner_);
  const auto reply =
      HttpClient(server.port())
          .post(kCompletions, completion({{"prompt", std::string(512, 'x')}}).dump());
  EXPECT_EQ(reply->status, 400);
  const json error = reply->json()["error"];
  EXPECT_EQ(error["code"], "context_length_exceeded");
  EXPECT_EQ(error["param"], "prompt");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("512 tokens and"));
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("context of 512"));
  EXPECT_EQ(post(server.port(), kCompletions, completion({{"prompt", ""}}))["error"]["param"],
            "prompt");
}

TEST_F(GenerationTest, APromptOverThePoolIsRefused) {
  FakeRunner small({.context_positions = 512,
                    .kv_blocks = 4,
                    .rows_max = 64,
                    .segments_max = 4,
                    .logit_rows_max = 4},
                   kByteVocabulary);
  RunningServer server(small);
  const json many = chat({{"n", 4}, {"messages", {{{"role", "user"}, {"content", "a"}}}}});
  EXPECT_EQ(post(server.port(), kChat, many)["choices"].size(), 4u);
  const std::string text(150, 'x');
  const json error =
      post(server.port(), kChat,
           chat({{"n", 4}, {"messages", {{{"role", "user"}, {"content", text}}}}}))["error"];
  EXPECT_EQ(error["param"], "messages");
  EXPECT_EQ(error["code"], "context_length_exceeded");
  EXPECT_EQ(error["message"],
            "messages: 168 tokens are more than the 63 that the server can hold with 4 answer(s) "
            "(its --kv-positions)");
}

TEST_F(GenerationTest, AFullQueueSaysWhenToComeAgain) {
  RunningServer server(runner_, {.engine = {.waiting_max = 1}});
  gate_.set(false);
  HttpClient running(server.port());
  running.send(post_text(kChat, chat().dump()));
  ASSERT_TRUE(eventually([&] { return gate_.has_waiting(); }));
  HttpClient waiting(server.port());
  waiting.send(post_text(kChat, chat().dump()));
  ASSERT_TRUE(eventually([&] { return server.engine().stats().requests_waiting == 1; }));
  const auto refused = HttpClient(server.port()).post(kChat, chat().dump());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->header("Retry-After"), "1");
  EXPECT_EQ(refused->json()["error"]["code"], "queue_full");
  gate_.set(true);
  EXPECT_EQ(running.read()->status, 200);
  EXPECT_EQ(waiting.read()->status, 200);
}

TEST_F(GenerationTest, AClientThatGoesAwayFreesItsSequence) {
  RunningServer server(runner_);
  const auto is_empty = [&] {
    const EngineStats stats = server.engine().stats();
    return stats.sequences_running == 0 && stats.kv_blocks_held == 0 && stats.requests_waiting == 0;
  };
  int64_t cancelled = 0;
  for (const bool streams : {true, false}) {
    // In the middle of the prompt: its 400 rows need several passes, of which one has begun.
    gate_.set(false);
    const int64_t passes = runner_.passes;
    {
      HttpClient client(server.port());
      client.send(
          post_text(kCompletions,
                    completion({{"prompt", std::string(400, 'x')}, {"stream", streams}}).dump()));
      ASSERT_TRUE(eventually([&] { return gate_.has_waiting(); }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for the server to notice
    gate_.set(true);
    EXPECT_TRUE(eventually(is_empty));
    EXPECT_TRUE(eventually([&] { return server.engine().stats().requests_cancelled > cancelled; }));
    cancelled = server.engine().stats().requests_cancelled;
    EXPECT_LE(runner_.passes - passes, 2) << "the step after the client's end still computed";
  }
  EXPECT_EQ(server.engine().stats().requests_finished, 0);
}

TEST_F(GenerationTest, AFailedStepIsTold) {
  RunningServer server(runner_);
  runner_.on_run = [] { throw std::runtime_error("the pass broke"); };
  const auto whole = HttpClient(server.port()).post(kChat, chat().dump());
  EXPECT_EQ(whole->status, 500);
  EXPECT_EQ(whole->json()["error"]["type"], "server_error");
  EXPECT_THAT(whole->json()["error"]["message"].get<std::string>(), HasSubstr("the pass broke"));
  const EventStream streamed = stream(server.port(), kChat, chat());
  EXPECT_FALSE(streamed.done);
  EXPECT_EQ(streamed.events.back()["error"]["type"], "server_error");
}

TEST_F(GenerationTest, AStepThatFailsInTheMiddleOfAStreamIsToldAtItsEnd) {
  RunningServer server(runner_);
  runner_.on_run = [this] {
    if (runner_.passes == 5) {
      throw std::runtime_error("the pass broke");
    }
  };
  const EventStream streamed = stream(server.port(), kChat, chat());
  EXPECT_FALSE(streamed.done);
  EXPECT_EQ(streamed.events.back()["error"]["code"], "internal_error");
  EXPECT_EQ(streamed.events.size(), 1 + 5 + 1u);  // the role, a token a pass, the error
}

TEST_F(GenerationTest, ClientsAreToldWhenTheGraceTimeEnds) {
  RunningServer server(runner_, {.server = {.http = {.grace = std::chrono::milliseconds(50)}}});
  std::atomic<int> passes_left{3};
  runner_.on_run = [&] {
    if (passes_left.fetch_sub(1) <= 0) {
      gate_.wait();
    }
  };
  gate_.set(false);
  HttpClient streaming(server.port());
  streaming.send(post_text(kChat, chat({{"stream", true}}).dump()));
  EXPECT_THAT(streaming.wait_for(R"("delta":{"content":)"), HasSubstr("200 OK"));
  HttpClient whole(server.port());
  whole.send(post_text(kChat, chat().dump()));
  ASSERT_TRUE(eventually([&] { return server.engine().stats().requests_waiting > 0; }));
  std::thread stopper([&] { server.stop(); });
  const auto refused = whole.read();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(refused->json()["error"]["code"], "unavailable");
  const std::string rest = streaming.wait_for("0\r\n\r\n");
  EXPECT_THAT(rest, HasSubstr(R"(data: {"error":{"message":"the server is stopping")"));
  EXPECT_THAT(rest, Not(HasSubstr("[DONE]")));
  streaming.close();
  whole.close();
  stopper.join();
  gate_.set(true);
}

TEST_F(GenerationTest, WithoutATemplateThereIsNoChat) {
  RunningServer server(runner_, {.has_template = false});
  const json error = post(server.port(), kChat, chat())["error"];
  EXPECT_EQ(error["param"], "messages");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("no chat template"));
}

TEST_F(GenerationTest, WhatATemplateRaisesIsTold) {
  RunningServer server(runner_);
  const json error =
      post(server.port(), kChat,
           chat({{"messages", {{{"role", "user"}, {"content", "raise"}}}}}))["error"];
  EXPECT_EQ(error["param"], "messages");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("as it was asked"));
}

TEST_F(GenerationTest, AStoppingEngineRefusesAndCancels) {
  RunningServer server(runner_);
  gate_.set(false);
  HttpClient running(server.port());
  running.send(post_text(kChat, chat({{"max_tokens", 400}}).dump()));
  ASSERT_TRUE(eventually([&] { return gate_.has_waiting(); }));
  std::thread stopper([&] { server.engine().shutdown(Shutdown::kCancel); });
  ASSERT_TRUE(eventually([&] {
    return server.engine().submit({.prompt = {3}, .max_tokens = 1}).status ==
           SubmitStatus::kStopping;
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate_.set(true);
  stopper.join();
  EXPECT_EQ(running.read()->status, 503);
  EXPECT_EQ(post(server.port(), kChat, chat())["error"]["code"], "unavailable");
}

}  // namespace
}  // namespace invar

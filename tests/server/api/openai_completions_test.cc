// Completions over HTTP, on a pretended model: echoes, prompts that are scored, several prompts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "server/api/generation_fixture.h"

namespace invar {
namespace {

using nlohmann::json;

class CompletionsTest : public GenerationTest {};

TEST_F(CompletionsTest, ACompletionWithEcho) {
  RunningServer server(runner_);
  const json plain = post(server.port(), kCompletions, completion());
  const std::string text = plain["choices"][0]["text"];
  EXPECT_EQ(plain["object"], "text_completion");
  EXPECT_EQ(text.size(), 40u);
  const json echo = post(server.port(), kCompletions, completion({{"echo", true}}));
  EXPECT_EQ(echo["choices"][0]["text"], "Once" + text);
  EXPECT_EQ(text_of(stream(server.port(), kCompletions, completion({{"echo", true}}))),
            "Once" + text);
  json ids = json::array();
  for (const char letter : std::string("Once")) {
    ids.push_back(byte_id(letter));
  }
  const json by_ids =
      post(server.port(), kCompletions, completion({{"prompt", ids}, {"echo", true}}));
  EXPECT_EQ(by_ids["choices"][0]["text"], "Once" + text);
}

TEST_F(CompletionsTest, AnEchoWithLogprobs) {
  RunningServer server(runner_);
  const std::string prompt = "Once upon a time in \xc3\xa9tat";
  const json body = completion({{"prompt", prompt}, {"logprobs", 2}, {"echo", true}});
  const json reply = post(server.port(), kCompletions, body);
  const json& choice = reply["choices"][0];
  const json& logprobs = choice["logprobs"];
  const json plain = post(server.port(), kCompletions, completion({{"prompt", prompt}}));
  EXPECT_EQ(choice["text"], prompt + plain["choices"][0]["text"].get<std::string>());
  ASSERT_EQ(logprobs["tokens"].size(), prompt.size() + 40);
  EXPECT_TRUE(logprobs["token_logprobs"][0].is_null());
  EXPECT_TRUE(logprobs["top_logprobs"][0].is_null());
  EXPECT_EQ(logprobs["text_offset"].back(), prompt.size() - 1 + 39);
  for (size_t i = 1; i < prompt.size() + 40; ++i) {
    EXPECT_LE(logprobs["token_logprobs"][i], 0.0);
    EXPECT_GE(logprobs["top_logprobs"][i].size(), 1u);
  }
  EXPECT_EQ(reply["usage"]["prompt_tokens"], prompt.size());
  EXPECT_EQ(reply["usage"]["completion_tokens"], 40);
  // The prompt alone: the same numbers, and no token.
  json without = body;
  without["max_tokens"] = 0;
  const json scored = post(server.port(), kCompletions, without);
  EXPECT_EQ(scored["choices"][0]["text"], prompt);
  EXPECT_EQ(scored["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(scored["usage"]["completion_tokens"], 0);
  for (const auto& [name, values] : scored["choices"][0]["logprobs"].items()) {
    json first = logprobs[name];
    first.erase(first.begin() + static_cast<std::ptrdiff_t>(prompt.size()), first.end());
    EXPECT_EQ(values, first);
  }
  without.erase("echo");
  without.erase("logprobs");
  EXPECT_EQ(post(server.port(), kCompletions, without)["choices"][0]["text"], "");
}

// The pieces of one choice of a stream of completions, put together.
json joined_choice(const EventStream& stream, int index) {
  json whole = {{"text", text_of(stream, index)}};
  for (const json& event : stream.events) {
    for (const json& each : event["choices"]) {
      if (each["index"] == index) {
        whole["finish_reason"] = each["finish_reason"];
        for (const auto& [name, values] : each["logprobs"].items()) {
          for (const json& value : values) {
            whole["logprobs"][name].push_back(value);
          }
        }
      }
    }
  }
  return whole;
}

TEST_F(CompletionsTest, SeveralPromptsAreSeveralRequests) {
  RunningServer server(runner_);
  json ids = json::array();
  for (const char letter : std::string("by ids")) {
    ids.push_back(byte_id(letter));
  }
  const json prompts = json::array({"Once", std::string(150, 'x'), ids});
  const json more = {{"n", 2}, {"logprobs", 1}, {"echo", true}, {"stop", "ab"}};
  json body = completion(more);
  body["prompt"] = prompts;
  const json whole = post(server.port(), kCompletions, body);
  body["stream_options"] = {{"include_usage", true}};
  const EventStream streamed = stream(server.port(), kCompletions, body);
  EXPECT_TRUE(streamed.done);
  ASSERT_EQ(whole["choices"].size(), 6u);
  int64_t generated = 0;
  for (int prompt = 0; prompt < 3; ++prompt) {
    json one = completion(more);
    one["prompt"] = prompts[static_cast<size_t>(prompt)];
    const json alone = post(server.port(), kCompletions, one);
    generated += alone["usage"]["completion_tokens"].get<int64_t>();
    for (int choice = 0; choice < 2; ++choice) {
      const int index = prompt * 2 + choice;
      json expected = alone["choices"][static_cast<size_t>(choice)];
      expected["index"] = index;
      EXPECT_EQ(whole["choices"][static_cast<size_t>(index)], expected);
      expected.erase("index");
      EXPECT_EQ(joined_choice(streamed, index), expected);
    }
  }
  EXPECT_EQ(whole["usage"], json({{"prompt_tokens", 160},
                                  {"completion_tokens", generated},
                                  {"total_tokens", 160 + generated}}));
  EXPECT_EQ(streamed.events.back()["usage"], whole["usage"]);
}

TEST_F(CompletionsTest, OfSeveralPromptsTheWrongOneIsNamed) {
  RunningServer server(runner_, {.engine = {.waiting_max = 2}});
  const auto error = [&](const json& prompts) {
    return post(server.port(), kCompletions, completion({{"prompt", prompts}}))["error"];
  };
  EXPECT_EQ(error({"a", ""})["param"], "prompt[1]");
  const json over = error({"a", "b", std::string(512, 'x')});
  EXPECT_EQ(over["param"], "prompt[2]");
  EXPECT_EQ(over["code"], "context_length_exceeded");
  EXPECT_EQ(error(std::vector<std::string>(9, "a"))["message"],
            "prompt: expected at most 8 prompts, found 9");
  // All or none: of those that the queue still took, nothing is left.
  gate_.set(false);
  HttpClient running(server.port());
  running.send(post_text(kChat, chat().dump()));
  ASSERT_TRUE(eventually([&] { return gate_.has_waiting(); }));
  EXPECT_EQ(error({"a", "b", "c"})["code"], "queue_full");
  gate_.set(true);
  EXPECT_EQ(running.read()->status, 200);
  EXPECT_TRUE(eventually([&] { return server.engine().stats().requests_cancelled == 2; }));
  EXPECT_EQ(server.engine().stats().requests_waiting, 0);
}

TEST_F(CompletionsTest, CompletionLogprobs) {
  RunningServer server(runner_);
  const json body =
      post(server.port(), kCompletions, completion({{"logprobs", 3}, {"max_tokens", 5}}));
  const json& logprobs = body["choices"][0]["logprobs"];
  std::string joined;
  for (const json& token : logprobs["tokens"]) {
    joined += token.get<std::string>();
  }
  EXPECT_EQ(joined, body["choices"][0]["text"]);
  EXPECT_EQ(logprobs["text_offset"], json({0, 1, 2, 3, 4}));
  EXPECT_EQ(logprobs["token_logprobs"].size(), 5u);
  EXPECT_LE(logprobs["token_logprobs"][0], 0.0);
  EXPECT_EQ(logprobs["top_logprobs"].size(), 5u);
  EXPECT_GE(logprobs["top_logprobs"][0].size(), 1u);
}

TEST_F(CompletionsTest, AClientThatGoesAwayFreesAllItsPrompts) {
  RunningServer server(runner_);
  for (const bool streams : {true, false}) {
    gate_.set(false);
    {
      HttpClient client(server.port());
      client.send(post_text(kCompletions, completion({{"prompt", {"a", "b", "c", "d"}},
                                                      {"n", 2},
                                                      {"max_tokens", 400},
                                                      {"ignore_eos", true},
                                                      {"stream", streams}})
                                              .dump()));
      ASSERT_TRUE(eventually([&] { return gate_.has_waiting(); }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for the server to notice
    gate_.set(true);
    EXPECT_TRUE(eventually([&] {
      const EngineStats stats = server.engine().stats();
      return stats.sequences_running == 0 && stats.requests_waiting == 0 &&
             stats.kv_blocks_held == 0 && stats.requests_cancelled == (streams ? 4 : 8);
    }));
  }
  EXPECT_EQ(server.engine().stats().requests_finished, 0);
}

}  // namespace
}  // namespace invar

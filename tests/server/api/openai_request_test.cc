// Bodies of chat and completions, as tables: what is taken, what is refused and by which words.
#include "server/api/openai_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace invar {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::StartsWith;

constexpr RequestLimits kLimits{.choices_max = 4, .prompts_max = 3, .vocabulary = 100};

// A good body of either kind, with more fields.
Json chat_body(const char* more = "{}") {
  Json body = {{"messages", {{{"role", "user"}, {"content", "hi"}}}}};
  body.update(Json::parse(more));
  return body;
}
Json completion_body(const char* more = "{}") {
  Json body = {{"prompt", "hi"}};
  body.update(Json::parse(more));
  return body;
}

template <class Parse>
std::string error_of(Parse parse, const Json& body) {
  try {
    parse(body, kLimits);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string chat_error(const char* more) {
  return error_of(parse_chat_request, chat_body(more));
}
std::string completion_error(const char* more) {
  return error_of(parse_completion_request, completion_body(more));
}

TEST(OpenAiRequest, Defaults) {
  const ChatRequest chat = parse_chat_request(chat_body(), kLimits);
  const GenerationFields& fields = chat.generation;
  EXPECT_EQ(fields.model, std::nullopt);
  EXPECT_EQ(fields.seed, std::nullopt);
  EXPECT_EQ(fields.max_tokens, std::nullopt);
  EXPECT_EQ(fields.choices, 1);
  EXPECT_FALSE(fields.stream || fields.include_usage || fields.ignore_eos);
  EXPECT_TRUE(fields.stop.empty());
  EXPECT_EQ(fields.sampling.temperature, 1);
  EXPECT_EQ(fields.sampling.top_p, 1);
  EXPECT_EQ(fields.sampling.top_k, 0);
  EXPECT_EQ(fields.sampling.repetition_penalty, 1);
  EXPECT_FALSE(fields.sampling.logprobs);
}

TEST(OpenAiRequest, ReadsEveryField) {
  const GenerationFields fields = parse_chat_request(chat_body(R"({
    "model": "m", "temperature": 0.5, "top_p": 0.25, "top_k": 7, "min_p": 0.125,
    "presence_penalty": -1.5, "frequency_penalty": 2, "repetition_penalty": 1.25,
    "logit_bias": {"9": -100, "10": 1.5}, "seed": -1, "max_tokens": 5,
    "max_completion_tokens": 5, "stop": ["a", "b"], "n": 4, "stream": true,
    "stream_options": {"include_usage": true, "include_obfuscation": false}, "ignore_eos": true,
    "logprobs": true, "top_logprobs": 20, "user": "u", "safety_identifier": "s",
    "prompt_cache_key": "k"})"),
                                                     kLimits)
                                      .generation;
  EXPECT_EQ(fields.model, "m");
  EXPECT_EQ(fields.sampling.temperature, 0.5f);
  EXPECT_EQ(fields.sampling.top_p, 0.25f);
  EXPECT_EQ(fields.sampling.top_k, 7);
  EXPECT_EQ(fields.sampling.min_p, 0.125f);
  EXPECT_EQ(fields.sampling.presence_penalty, -1.5f);
  EXPECT_EQ(fields.sampling.frequency_penalty, 2.0f);
  EXPECT_EQ(fields.sampling.repetition_penalty, 1.25f);
  ASSERT_EQ(fields.sampling.logit_bias.size(), 2u);
  EXPECT_EQ(fields.sampling.logit_bias[0].token_id, 9);
  EXPECT_EQ(fields.sampling.logit_bias[0].bias, -100);
  EXPECT_EQ(fields.sampling.logit_bias[1].token_id, 10);
  EXPECT_EQ(fields.seed, UINT64_MAX);
  EXPECT_EQ(fields.max_tokens, 5);
  EXPECT_THAT(fields.stop, ElementsAre("a", "b"));
  EXPECT_EQ(fields.choices, 4);
  EXPECT_TRUE(fields.stream && fields.include_usage && fields.ignore_eos);
  EXPECT_TRUE(fields.sampling.logprobs);
  EXPECT_EQ(fields.sampling.top_logprobs, 20);
}

TEST(OpenAiRequest, OtherSpellings) {
  EXPECT_THAT(parse_chat_request(chat_body(R"({"stop": "x"})"), kLimits).generation.stop,
              ElementsAre("x"));
  EXPECT_EQ(parse_chat_request(chat_body(R"({"max_completion_tokens": 3})"), kLimits)
                .generation.max_tokens,
            3);
  EXPECT_EQ(
      parse_chat_request(chat_body(R"({"seed": 18446744073709551615})"), kLimits).generation.seed,
      UINT64_MAX);
}

TEST(OpenAiRequest, RefusesWrongValues) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"temperature": -0.1})", "temperature: expected from 0 to 2"},
      {R"({"temperature": 1e300})", "temperature: expected from 0 to 2"},
      {R"({"temperature": "hot"})", "temperature: expected a number, found a string"},
      {R"({"top_p": 0})", "top_p: expected above 0 to 1, found 0"},
      {R"({"top_p": 1.5})", "top_p: expected"},
      {R"({"top_k": -1})", "top_k: expected 0 to"},
      {R"({"top_k": 4294967296})", "top_k: expected 0 to"},
      {R"({"min_p": 2})", "min_p: expected"},
      {R"({"presence_penalty": 3})", "presence_penalty: expected"},
      {R"({"frequency_penalty": -3})", "frequency_penalty: expected"},
      {R"({"repetition_penalty": 0})", "repetition_penalty: expected from 0.01 to 10"},
      {R"({"seed": 1.5})", "seed: expected an integer"},
      {R"({"seed": "a"})", "seed: expected an integer"},
      {R"({"max_tokens": -1})", "max_tokens: expected "},
      {R"({"max_tokens": 18446744073709551615})", "max_tokens: expected "},
      {R"({"max_tokens": 1, "max_completion_tokens": 2})", "max_completion_tokens: expected max_"},
      {R"({"n": 0})", "n: expected 1 to 4, found 0"},
      {R"({"n": 5})", "n: expected 1 to 4, found 5"},
      {R"({"stream": 1})", "stream: expected a boolean"},
      {R"({"stream_options": {}})", "stream_options: expected only with"},
      {R"({"stream": true, "stream_options": []})", "stream_options: expected an object"},
      {R"({"stream": true, "stream_options": {"x": 1}})", "stream_options.x: this field"},
      {R"({"stream": true, "stream_options": {"include_obfuscation": true}})",
       "stream_options.include_obfuscation: true is not supported"},
      {R"({"stop": ""})", "stop: expected a string of 1 to 256 bytes, found 0"},
      {R"({"stop": ["a", ""]})", "stop[1]: expected a string of 1 to 256 bytes"},
      {R"({"stop": ["a", 1]})", "stop[1]: expected a string, found an integer"},
      {R"({"stop": 5})", "stop: expected a string or a list of at most 16"},
      {R"({"stop": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]})",
       "stop: expected a string or a list of at most 16 strings, found 17"},
      {R"({"logit_bias": []})", "logit_bias: expected an object"},
      {R"({"logit_bias": {"100": 1}})", "logit_bias: expected token ids from 0 to 99"},
      {R"({"logit_bias": {"-1": 1}})", "logit_bias: expected token ids"},
      {R"({"logit_bias": {"1x": 1}})", "logit_bias: expected token ids"},
      {R"({"logit_bias": {"": 1}})", "logit_bias: expected token ids"},
      {R"({"logit_bias": {"01": 1}})", "logit_bias: expected token ids"},
      {R"({"logit_bias": {"-0": 1}})", "logit_bias: expected token ids"},
      {R"({"logit_bias": {"1": 101}})", "logit_bias.1: expected from -100 to 100"},
      {R"({"logit_bias": {"1": "a"}})", "logit_bias.1: expected a number"},
      {R"({"ignore_eos": "yes"})", "ignore_eos: expected a boolean"},
      {R"({"user": 5})", "user: expected a string"},
      {R"({"model": 5})", "model: expected a string"},
      {R"({"frobnicate": 1})", "frobnicate: this field is not supported"}};
  for (const auto& [more, expected] : cases) {
    EXPECT_THAT(chat_error(more), StartsWith(expected)) << more;
    EXPECT_THAT(completion_error(more), StartsWith(expected)) << more;
  }
}

TEST(OpenAiRequest, OnlyCompletionsMayAskForNoTokens) {
  EXPECT_THAT(chat_error(R"({"max_tokens": 0})"), StartsWith("max_tokens: expected 1 to"));
  EXPECT_EQ(completion_error(R"({"max_tokens": 0})"), "no error");
}

TEST(OpenAiRequest, UnsupportedFieldsMayAskForNothing) {
  EXPECT_EQ(chat_error(R"({"tools": [], "tool_choice": "none", "functions": null,
                           "function_call": "auto", "response_format": {"type": "text"},
                           "parallel_tool_calls": true, "modalities": ["text"], "store": false,
                           "metadata": {"a": "b"}, "verbosity": "medium",
                           "service_tier": "auto", "audio": null,
                           "reasoning_effort": null})"),
            "no error");
  const std::pair<const char*, const char*> cases[] = {
      {R"({"tools": [{"type": "function"}]})", "tools: this value is not supported"},
      {R"({"tool_choice": "required"})", "tool_choice: \"required\" is not supported"},
      {R"({"functions": [{}]})", "functions: this value"},
      {R"({"response_format": {"type": "json_object"}})", "response_format: this value"},
      {R"({"modalities": ["audio"]})", "modalities: this value"},
      {R"({"audio": {}})", "audio: this value"},
      {R"({"store": true})", "store: true is not supported"},
      {R"({"service_tier": "flex"})", "service_tier: \"flex\" is not supported"},
      {R"({"metadata": {"a": 1}})", "metadata.a: expected a string, found an integer"},
      {R"({"metadata": "a"})", "metadata: expected an object, found a string"},
      {R"({"reasoning_effort": "low"})", "reasoning_effort: \"low\" is not supported"},
      {R"({"prediction": {}})", "prediction: this value"},
      {R"({"verbosity": "low"})", "verbosity: \"low\""},
      {R"({"web_search_options": {}})", "web_search_options: this value"},
      {R"({"echo": true})", "echo: this field is not supported"},
      {R"({"prompt": "a"})", "prompt: this field is not supported"}};
  for (const auto& [more, expected] : cases) {
    EXPECT_THAT(chat_error(more), StartsWith(expected)) << more;
  }
}

// What clients send that write out every field: each asks for nothing that is not done.
TEST(OpenAiRequest, TakesWhatClientsSendUnasked) {
  const char* chats[] = {
      // A typed client that writes its unset fields as null.
      R"({"frequency_penalty": null, "function_call": null, "functions": null, "logit_bias": null,
          "logprobs": null, "max_completion_tokens": null, "max_tokens": null, "metadata": null,
          "modalities": null, "n": null, "parallel_tool_calls": null, "prediction": null,
          "presence_penalty": null, "prompt_cache_key": null, "reasoning_effort": null,
          "response_format": null, "seed": null, "service_tier": null, "stop": null, "store": null,
          "stream": null, "stream_options": null, "temperature": null, "tool_choice": null,
          "tools": null, "top_logprobs": null, "top_p": null, "user": null, "verbosity": null,
          "web_search_options": null})",
      // One that writes the API's defaults.
      R"({"frequency_penalty": 0, "presence_penalty": 0.0, "logit_bias": {}, "logprobs": false,
          "top_logprobs": 0, "n": 1, "temperature": 1, "top_p": 1, "stop": [], "stream": false,
          "store": false, "service_tier": "auto", "response_format": {"type": "text"},
          "modalities": ["text"], "tools": [], "tool_choice": "none", "functions": [],
          "parallel_tool_calls": true, "verbosity": "medium", "prompt_cache_retention": "24h"})",
      // A chat page, an agent between its tools' turns.
      R"({"stream": true, "stream_options": {"include_usage": true}, "temperature": 0.7,
          "max_tokens": 512, "user": "u-1"})",
      R"({"tools": [], "tool_choice": "auto", "parallel_tool_calls": false, "max_completion_tokens":
          100, "metadata": {"trace": "t-1"}, "safety_identifier": "s", "prompt_cache_key": "p"})"};
  for (const char* more : chats) {
    EXPECT_EQ(chat_error(more), "no error") << more;
  }
  const char* completions[] = {
      R"({"best_of": null, "echo": null, "frequency_penalty": null, "logit_bias": null,
          "logprobs": null, "max_tokens": null, "n": null, "presence_penalty": null, "seed": null,
          "stop": null, "stream": null, "stream_options": null, "suffix": null,
          "temperature": null, "top_p": null, "user": null})",
      R"({"best_of": 1, "echo": false, "suffix": "", "n": 1, "temperature": 1, "top_p": 1})",
      R"({"echo": true, "logprobs": 1, "max_tokens": 1, "temperature": 0, "seed": 1234})"};
  for (const char* more : completions) {
    EXPECT_EQ(completion_error(more), "no error") << more;
  }
}

TEST(OpenAiRequest, ReadsMessages) {
  const ChatRequest chat = parse_chat_request(Json::parse(R"({"messages": [
    {"role": "system", "content": "s"},
    {"role": "developer", "content": "d", "name": "dev"},
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    {"role": "assistant", "content": "", "refusal": null, "tool_calls": null, "annotations": [],
     "audio": null, "function_call": null, "reasoning_content": ""},
    {"role": "assistant", "content": null, "tool_calls": []},
    {"role": "assistant"},
    {"role": "assistant", "content": [{"type": "text", "text": "c"}]},
    {"role": "system", "content": [{"type": "text", "text": "e"}]}
  ]})"),
                                              kLimits);
  ASSERT_EQ(chat.messages.size(), 8u);
  EXPECT_EQ(chat.messages[0].role, "system");
  EXPECT_EQ(chat.messages[1].role, "system");
  EXPECT_EQ(chat.messages[1].name, "dev");
  EXPECT_EQ(chat.messages[2].content, "ab");
  EXPECT_EQ(chat.messages[3].role, "assistant");
  EXPECT_EQ(chat.messages[3].content, "");
  EXPECT_EQ(chat.messages[4].content, "");
  EXPECT_EQ(chat.messages[5].content, "");
  EXPECT_EQ(chat.messages[6].content, "c");
  EXPECT_EQ(chat.messages[7].content, "e");
}

TEST(OpenAiRequest, RefusesWrongMessages) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"messages": null})", "messages: expected a list of messages, found none"},
      {R"({"messages": []})", "messages: expected a list of at least 1 message, found an empty"},
      {R"({"messages": "hi"})", "messages: expected a list of at least 1 message, found a string"},
      {R"({"messages": ["hi"]})", "messages[0]: expected an object, found a string"},
      {R"({"messages": [{"content": "a"}]})", "messages[0].role: expected a string, found none"},
      {R"({"messages": [{"role": 1, "content": "a"}]})", "messages[0].role: expected a string"},
      {R"({"messages": [{"role": "king", "content": "a"}]})",
       "messages[0].role: expected 'system', 'developer', 'user' or 'assistant', found 'king'"},
      {R"({"messages": [{"role": "tool", "content": "a"}]})",
       "messages[0].role: role 'tool' is not supported"},
      {R"({"messages": [{"role": "user"}]})", "messages[0].content: expected a string or a list"},
      {R"({"messages": [{"role": "user", "content": null}]})", "messages[0].content: expected"},
      {R"({"messages": [{"role": "system", "content": null}]})", "messages[0].content: expected"},
      {R"({"messages": [{"role": "assistant", "content": [{"type": "refusal"}]}]})",
       "messages[0].content[0].type: parts of type 'refusal' are not supported"},
      {R"({"messages": [{"role": "user", "content": 5}]})",
       "messages[0].content: expected a string, found an integer"},
      {R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})",
       "messages[0].content[0].type: parts of type 'image_url' are not supported"},
      {R"({"messages": [{"role": "user", "content": [{"type": "text"}]}]})",
       "messages[0].content[0].text: expected a string, found none"},
      {R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "", "x": 1}]}]})",
       "messages[0].content[0].x: this field is not supported"},
      {R"({"messages": [{"role": "user", "content": ["a"]}]})",
       "messages[0].content[0]: expected an object"},
      {R"({"messages": [{"role": "user", "content": "a", "name": 1}]})",
       "messages[0].name: expected a string"},
      {R"({"messages": [{"role": "assistant", "content": "a", "tool_calls": [{}]}]})",
       "messages[0].tool_calls: this value is not supported"},
      {R"({"messages": [{"role": "user", "content": "a", "mood": 1}]})",
       "messages[0].mood: this field is not supported"}};
  for (const auto& [more, expected] : cases) {
    EXPECT_THAT(chat_error(more), StartsWith(expected)) << more;
  }
}

TEST(OpenAiRequest, LogprobsOfChat) {
  EXPECT_EQ(chat_error(R"({"logprobs": false, "top_logprobs": 0})"), "no error");
  EXPECT_THAT(chat_error(R"({"top_logprobs": 1})"), StartsWith("top_logprobs: expected only with"));
  EXPECT_THAT(chat_error(R"({"logprobs": true, "top_logprobs": 21})"),
              StartsWith("top_logprobs: expected 0 to 20"));
  EXPECT_THAT(chat_error(R"({"logprobs": 3})"), StartsWith("logprobs: expected a boolean"));
}

TEST(OpenAiRequest, Completions) {
  const auto parse = [](const char* more) {
    return parse_completion_request(completion_body(more), kLimits);
  };
  EXPECT_EQ(parse("{}").prompts.at(0).text, "hi");
  EXPECT_EQ(parse(R"({"prompt": ["one"]})").prompts.at(0).text, "one");
  EXPECT_THAT(parse(R"({"prompt": [1, 99]})").prompts.at(0).ids, ElementsAre(1, 99));
  EXPECT_THAT(parse(R"({"prompt": [[1, 2]]})").prompts.at(0).ids, ElementsAre(1, 2));
  const CompletionRequest several = parse(R"({"prompt": ["one", "", [3, 4]]})");
  ASSERT_EQ(several.prompts.size(), 3u);
  EXPECT_EQ(several.prompts[0].text, "one");
  EXPECT_TRUE(several.prompts[1].text.empty() && several.prompts[1].ids.empty());
  EXPECT_THAT(several.prompts[2].ids, ElementsAre(3, 4));
  EXPECT_TRUE(parse(R"({"echo": true, "logprobs": 1})").echo);
  EXPECT_EQ(parse(R"({"max_tokens": 0})").generation.max_tokens, 0);
  const CompletionRequest logprobs =
      parse(R"({"logprobs": 0, "n": 2, "best_of": 2, "suffix": ""})");
  EXPECT_TRUE(logprobs.generation.sampling.logprobs);
  EXPECT_EQ(logprobs.generation.sampling.top_logprobs, 0);
  EXPECT_EQ(parse(R"({"logprobs": 5})").generation.sampling.top_logprobs, 5);
}

TEST(OpenAiRequest, RefusesWrongCompletions) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"prompt": null})", "prompt: expected a string or a list of token ids, found none"},
      {R"({"prompt": 5})", "prompt: expected a string or a list of token ids, found an integer"},
      {R"({"prompt": []})", "prompt: expected at least 1 token id"},
      {R"({"prompt": [[]]})", "prompt[0]: expected at least 1 token id"},
      {R"({"prompt": ["a", 5]})",
       "prompt[1]: expected a string or a list of token ids, found an integer"},
      {R"({"prompt": ["a", [1, 100]]})", "prompt[1][1]: expected 0 to 99, found 100"},
      {R"({"prompt": ["a", "b", "c", "d"]})", "prompt: expected at most 3 prompts, found 4"},
      {R"({"prompt": [1, "b"]})", "prompt[1]: expected an integer, found a string"},
      {R"({"prompt": [100]})", "prompt[0]: expected 0 to 99, found 100"},
      {R"({"prompt": [-1]})", "prompt[0]: expected 0 to 99, found -1"},
      {R"({"prompt": [1.5]})", "prompt[0]: expected an integer"},
      {R"({"logprobs": true})", "logprobs: expected an integer, found a boolean"},
      {R"({"logprobs": 21})", "logprobs: expected 0 to 20"},
      {R"({"max_tokens": -1})", "max_tokens: expected 0 to "},
      {R"({"best_of": 2})", "best_of: 2 is not supported"},
      {R"({"suffix": "x"})", "suffix: \"x\" is not supported"},
      {R"({"messages": []})", "messages: this field is not supported"}};
  for (const auto& [more, expected] : cases) {
    EXPECT_THAT(completion_error(more), StartsWith(expected)) << more;
  }
}

TEST(OpenAiRequest, TheBodyIsAnObject) {
  for (const char* body : {"[]", "null", "5", "\"a\""}) {
    EXPECT_THAT(error_of(parse_chat_request, Json::parse(body)),
                StartsWith("body: expected an object, found"));
  }
}

}  // namespace
}  // namespace invar

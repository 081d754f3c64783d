// The two JSON forms of log probabilities.
#include "server/api/logprobs.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

const std::vector<SpelledToken> kTokens = {
    {.token = {.bytes = "hi", .logprob = -0.5f},
     .top = {{.bytes = "hi", .logprob = -0.5f}, {.bytes = "ho", .logprob = -1.5f}},
     .text_offset = 0},
    {.token = {.bytes = "\xe2\x82", .logprob = -2},
     .top = {{.bytes = "\xe2\x82", .logprob = -2}, {.bytes = "\xe2\x82", .logprob = -3}},
     .text_offset = 2}};

TEST(Logprobs, TokensAreText) {
  EXPECT_EQ(token_text("h\xc3\xa9"), "h\xc3\xa9");
  EXPECT_EQ(token_text("\xc3"), "bytes:\\xc3");
  EXPECT_EQ(token_text(""), "");
}

TEST(Logprobs, FormOfChat) {
  EXPECT_EQ(chat_logprobs(kTokens), nlohmann::ordered_json::parse(R"({"content": [
              {"token": "hi", "logprob": -0.5, "bytes": [104, 105], "top_logprobs": [
                {"token": "hi", "logprob": -0.5, "bytes": [104, 105]},
                {"token": "ho", "logprob": -1.5, "bytes": [104, 111]}]},
              {"token": "bytes:\\xe2\\x82", "logprob": -2.0, "bytes": [226, 130], "top_logprobs": [
                {"token": "bytes:\\xe2\\x82", "logprob": -2.0, "bytes": [226, 130]},
                {"token": "bytes:\\xe2\\x82", "logprob": -3.0, "bytes": [226, 130]}]}],
              "refusal": null})"));
}

TEST(Logprobs, FormOfCompletions) {
  EXPECT_EQ(completion_logprobs(kTokens), nlohmann::ordered_json::parse(R"({
              "tokens": ["hi", "bytes:\\xe2\\x82"],
              "token_logprobs": [-0.5, -2.0],
              "top_logprobs": [{"hi": -0.5, "ho": -1.5}, {"bytes:\\xe2\\x82": -2.0}],
              "text_offset": [0, 2]})"));
}

TEST(Logprobs, TheFirstTokenOfAPromptHasNone) {
  std::vector<SpelledToken> tokens = kTokens;
  tokens.insert(tokens.begin(), {.token = {.bytes = "<s>"}, .has_logprob = false});
  EXPECT_EQ(completion_logprobs(tokens), nlohmann::ordered_json::parse(R"({
              "tokens": ["<s>", "hi", "bytes:\\xe2\\x82"],
              "token_logprobs": [null, -0.5, -2.0],
              "top_logprobs": [null, {"hi": -0.5, "ho": -1.5}, {"bytes:\\xe2\\x82": -2.0}],
              "text_offset": [0, 0, 2]})"));
}

}  // namespace
}  // namespace invar

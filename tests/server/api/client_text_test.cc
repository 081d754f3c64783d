// Text that is too long for any prompt is refused before it is tokenized, whatever the endpoint.
#include "server/api/client_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake_runner.h"
#include "server_support/http_client.h"
#include "server_support/running_server.h"

namespace invar {
namespace {

TEST(ClientText, WhatFillsTheContextManyTimesIsNotTokenized) {
  EXPECT_EQ(client_text_bytes_max(256), int64_t{1} << 20);
  EXPECT_EQ(client_text_bytes_max(int64_t{1} << 17), int64_t{8} << 20);
  FakeRunner runner({.context_positions = 256,
                     .kv_blocks = 16,
                     .rows_max = 64,
                     .segments_max = 4,
                     .logit_rows_max = 4},
                    kByteVocabulary);
  RunningServer server(runner);
  HttpClient client(server.port());
  const std::string message =
      ": expected at most 1048576 bytes of text (the context has 256 tokens), found ";
  const std::string most((1 << 20) + 1, 'a');
  const std::string body = nlohmann::json({{"prompt", most}}).dump();
  for (const char* path : {"/v1/completions", "/tokenize"}) {
    const auto reply = client.post(path, body);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 400);
    EXPECT_EQ(reply->json()["error"]["message"], "prompt" + message + "1048577") << path;
    EXPECT_EQ(reply->json()["error"]["param"], "prompt");
  }
  const nlohmann::json chat = {{"messages", {{{"role", "user"}, {"content", most}}}}};
  const auto refused = client.post("/v1/chat/completions", chat.dump());
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->json()["error"]["message"].get<std::string>(),
              testing::StartsWith("messages" + message));
}

}  // namespace
}  // namespace invar

// What holds for all endpoints: paths, methods, keys, media types, cross-origin rules, and errors.
#include "server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake_runner.h"
#include "server_support/http_client.h"
#include "server_support/running_server.h"

namespace invar {
namespace {

using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  FakeRunner runner_{{.context_positions = 256,
                      .kv_blocks = 16,
                      .rows_max = 64,
                      .segments_max = 4,
                      .logit_rows_max = 4},
                     kByteVocabulary};
};

TEST_F(ServerTest, IsHealthy) {
  RunningServer server(runner_);
  const auto reply = HttpClient(server.port()).get("/health");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->json(), nlohmann::json({{"status", "ok"}}));
  EXPECT_EQ(reply->header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(reply->header("Access-Control-Allow-Origin"), "");
}

TEST_F(ServerTest, KnowsItsPathsAndMethods) {
  RunningServer server(runner_);
  HttpClient client(server.port());
  const auto unknown = client.get("/v2/models");
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(unknown->json()["error"]["message"], "unknown path '/v2/models'");
  const auto wrong = client.get("/v1/completions");
  EXPECT_EQ(wrong->status, 405);
  EXPECT_EQ(wrong->header("Allow"), "POST");
  EXPECT_EQ(client.get("/health?verbose=1")->status, 200);
}

TEST_F(ServerTest, AsksForTheKey) {
  RunningServer server(runner_, {.server = {.api_key = "secret"}});
  HttpClient client(server.port());
  for (const char* headers : {"", "Authorization: Bearer secre\r\n",
                              "Authorization: Bearer secrets\r\n", "Authorization: Bearer \r\n",
                              "Authorization: Basic secret\r\n", "Authorization: secret\r\n"}) {
    const auto refused = client.get("/v1/models", headers);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 401) << headers;
    EXPECT_EQ(refused->header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(refused->json()["error"]["code"], "invalid_api_key");
  }
  EXPECT_EQ(client.get("/metrics")->status, 401);
  EXPECT_EQ(client.get("/health")->status, 200);
  EXPECT_EQ(client.get("/v1/models", "Authorization: Bearer secret\r\n")->status, 200);
  EXPECT_EQ(client.get("/v1/models", "authorization: bearer secret\r\n")->status, 200);
}

TEST(Server, ComparesKeysWhole) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcabc"));
  EXPECT_FALSE(equal_in_constant_time("abc", ""));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

TEST_F(ServerTest, BodiesAreJson) {
  RunningServer server(runner_);
  for (const char* headers :
       {"Content-Length: 2\r\n", "Content-Length: 2\r\nContent-Type: text/plain\r\n",
        "Content-Length: 2\r\nContent-Type: application/jsonp\r\n",
        "Content-Length: 2\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"}) {
    HttpClient client(server.port());
    client.send(std::string("POST /tokenize HTTP/1.1\r\nHost: t\r\n") + headers + "\r\n{}");
    const auto reply = client.read();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 415) << headers;
    EXPECT_EQ(reply->json()["error"]["code"], "unsupported_media_type");
  }
  HttpClient client(server.port());
  client.send(
      "POST /tokenize HTTP/1.1\r\nHost: t\r\nContent-Length: 14\r\n"
      "content-type: Application/JSON; charset=utf-8\r\nContent-Encoding: identity\r\n\r\n"
      "{\"prompt\":\"a\"}");
  EXPECT_EQ(client.read()->status, 200);
}

TEST_F(ServerTest, TellsBrowsersWhichPagesMayUseIt) {
  RunningServer server(runner_, {.server = {.api_key = "k", .cors_origin = "https://a.example"}});
  HttpClient client(server.port());
  client.send(
      "OPTIONS /v1/completions HTTP/1.1\r\nHost: t\r\nOrigin: https://a.example\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n");
  const auto preflight = client.read();
  ASSERT_TRUE(preflight);
  EXPECT_EQ(preflight->status, 204);
  EXPECT_EQ(preflight->header("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(preflight->header("Access-Control-Allow-Headers"), "Authorization, Content-Type, *");
  const auto refused = client.get("/v1/models", "Origin: https://a.example\r\n");
  EXPECT_EQ(refused->status, 401);
  EXPECT_EQ(refused->header("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(refused->header("Vary"), "Origin");
}

TEST_F(ServerTest, WithoutAnOriginNoPageMay) {
  RunningServer server(runner_);
  HttpClient client(server.port());
  client.send(
      "OPTIONS /v1/completions HTTP/1.1\r\nHost: t\r\nOrigin: https://a.example\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n");
  EXPECT_EQ(client.read()->status, 405);
}

TEST_F(ServerTest, ServesFilesOfTheProgram) {
  RunningServer server(
      runner_,
      {.server = {.api_key = "k",
                  .static_files = {
                      {.path = "/", .content_type = "text/html; charset=utf-8", .bytes = "<p>page"},
                      {.path = "/a.js", .content_type = "text/javascript", .bytes = "1;"}}}});
  HttpClient client(server.port());
  const auto page = client.get("/");
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "<p>page");
  EXPECT_EQ(page->header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(client.get("/a.js")->body, "1;");
  const std::string etag = page->header("ETag");
  EXPECT_NE(etag, client.get("/a.js")->header("ETag"));
  const auto known = client.get("/", "If-None-Match: " + etag + "\r\n");
  EXPECT_EQ(known->status, 304);
  EXPECT_EQ(client.get("/", "If-None-Match: \"other\"\r\n")->status, 200);
}

TEST_F(ServerTest, ShowsTheModel) {
  RunningServer server(runner_);
  HttpClient client(server.port());
  const nlohmann::json list = client.get("/v1/models")->json();
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 1u);
  EXPECT_EQ(list["data"][0]["id"], kTestModel);
  EXPECT_EQ(list["data"][0]["context_length"], 256);
  EXPECT_EQ(client.get("/v1/models/tiny")->json(), list["data"][0]);
  EXPECT_EQ(client.get("/v1/models/t%69ny")->status, 200);
  const auto unknown = client.get("/v1/models/a%2Fb");
  EXPECT_EQ(unknown->json()["error"]["message"], "model: expected 'tiny', found 'a/b'");
  EXPECT_EQ(unknown->status, 404);
  EXPECT_EQ(unknown->json()["error"]["code"], "model_not_found");
  EXPECT_EQ(unknown->json()["error"]["param"], "model");
}

TEST_F(ServerTest, TokenizesAndBack) {
  RunningServer server(runner_);
  HttpClient client(server.port());
  const nlohmann::json tokens =
      client.post("/tokenize", R"({"prompt": "h\u00e9<s>", "model": "tiny"})")->json();
  EXPECT_EQ(tokens["count"], 4);
  EXPECT_EQ(tokens["tokens"], nlohmann::json({byte_id('h'), byte_id('\xc3'), byte_id('\xa9'), 1}));
  const auto text = client.post("/detokenize", R"({"tokens": )" + tokens["tokens"].dump() + "}");
  EXPECT_EQ(text->json()["prompt"], "h\xc3\xa9<s>");
  EXPECT_EQ(client.post("/tokenize", R"({"prompt": "", "model": "other"})")->status, 404);
  EXPECT_EQ(client.post("/detokenize", R"({"tokens": [], "model": "other"})")->status, 404);
  EXPECT_EQ(client.post("/detokenize", R"({"tokens": [256]})")->json()["error"]["message"],
            "tokens[0]: expected 0 to 255, found 256");
}

TEST_F(ServerTest, CountsWhatItDid) {
  RunningServer server(runner_);
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/nope")->status, 404);
  EXPECT_EQ(client
                .post("/v1/completions", R"({"prompt": "abc", "max_tokens": 5, "seed": 1,
                        "ignore_eos": true})")
                ->status,
            200);
  const auto reply = client.get("/metrics");
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->header("Content-Type"), HasSubstr("text/plain"));
  for (const char* line :
       {"invar_http_requests_total{path=\"other\",status=\"404\"} 1\n",
        "invar_http_requests_total{path=\"/v1/completions\",status=\"200\"} 1\n",
        "invar_tokens_total{kind=\"prompt\"} 3\n", "invar_tokens_total{kind=\"generated\"} 5\n",
        "invar_time_to_first_token_seconds_count 1\n", "invar_answer_seconds_count 1\n",
        "invar_connections_open 1\n", "invar_requests_finished_total 1\n",
        "invar_kv_blocks_held 0\n", "invar_sequences_running 0\n", "# TYPE invar_kv_blocks gauge\n",
        "# TYPE invar_steps_total counter\n"}) {
    EXPECT_THAT(reply->body, HasSubstr(line));
  }
}

}  // namespace
}  // namespace invar

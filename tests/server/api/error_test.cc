// Errors as clients see them.
#include "server/api/error.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(ApiError, HasFourFields) {
  EXPECT_EQ(
      error_json({.message = "top_p: wrong", .param = "top_p", .code = "invalid_value"}).dump(),
      R"({"error":{"message":"top_p: wrong","type":"invalid_request_error",)"
      R"("param":"top_p","code":"invalid_value"}})");
}

TEST(ApiError, TypeAndCodeFollowTheStatus) {
  const std::pair<int, std::string> cases[] = {
      {400, "invalid_request_error invalid_request"},
      {401, "authentication_error invalid_api_key"},
      {404, "invalid_request_error not_found"},
      {405, "invalid_request_error method_not_allowed"},
      {408, "invalid_request_error request_timeout"},
      {413, "invalid_request_error body_too_large"},
      {415, "invalid_request_error unsupported_media_type"},
      {417, "invalid_request_error expectation_failed"},
      {429, "rate_limit_error queue_full"},
      {431, "invalid_request_error head_too_large"},
      {500, "server_error internal_error"},
      {503, "server_error unavailable"},
      {505, "invalid_request_error http_version_not_supported"}};
  for (const auto& [status, expected] : cases) {
    const auto error = error_json({.status = status, .message = "m"})["error"];
    EXPECT_EQ(error["type"].get<std::string>() + " " + error["code"].get<std::string>(), expected);
    EXPECT_TRUE(error["param"].is_null());
  }
}

TEST(ApiError, AReplySurvivesBrokenBytes) {
  const HttpReply reply = error_reply({.status = 404, .message = "\xc3("});
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(nlohmann::json::parse(reply.body)["error"]["message"], "\xEF\xBF\xBD(");
}

TEST(ApiError, TheFieldStandsBeforeTheMessage) {
  const ApiError error =
      api_error(Error(Code::kBadArgument, "messages[2].role: expected a string"), "other");
  EXPECT_EQ(error.param, "messages[2].role");
  EXPECT_EQ(error.code, "invalid_value");
  EXPECT_EQ(error.status, 400);
}

TEST(ApiError, OtherMessagesBlameTheFieldInHand) {
  EXPECT_EQ(api_error(Error(Code::kBadArgument, "no field"), "messages").param, "messages");
  EXPECT_EQ(api_error(Error(Code::kBadArgument, "prompt: too long"), "messages").param, "messages");
  EXPECT_EQ(api_error(Error(Code::kBadArgument, "a file.jinja:3: raised"), "messages").param,
            "messages");
  const ApiError json = api_error(Error(Code::kBadFile, "body: line 1, byte 2: no"), "");
  EXPECT_EQ(json.param, "");
  EXPECT_EQ(json.code, "invalid_json");
  EXPECT_EQ(api_error(Error(Code::kUnsupported, "tools: no"), "").code, "unsupported_value");
  const ApiError io = api_error(Error(Code::kIo, "/srv/model.gguf: no such file"), "");
  EXPECT_EQ(io.status, 500);
  EXPECT_EQ(io.message, kNoFaultOfTheClient);
  const ApiError steps =
      api_error(Error(Code::kExhausted, "/srv/tokenizer.json: pattern 'x': stopped"), "prompt[2]");
  EXPECT_EQ(steps.status, 400);
  EXPECT_EQ(steps.param, "prompt[2]");
  EXPECT_EQ(steps.message, "prompt[2]: the text takes too many steps to tokenize");
}

}  // namespace
}  // namespace invar

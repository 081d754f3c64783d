// Heads and chunks as bytes.
#include "server/http/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Wire, RendersAHead) {
  const HttpReply reply{
      .status = 429, .headers = {{.name = "Retry-After", .value = "1"}}, .body = "ignored"};
  EXPECT_EQ(render_head(reply, {.body_bytes = 7, .keep_alive = true, .now = 784111777}),
            "HTTP/1.1 429 Too Many Requests\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Connection: keep-alive\r\n"
            "Content-Type: application/json\r\n"
            "Retry-After: 1\r\n"
            "Content-Length: 7\r\n\r\n");
}

TEST(Wire, FramesABodyOfUnknownLength) {
  const HttpReply reply{.content_type = {}};
  const std::string chunked =
      render_head(reply, {.framing = BodyFraming::kChunked, .keep_alive = true});
  EXPECT_THAT(chunked, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(chunked, Not(HasSubstr("Content-")));
  const std::string close =
      render_head(reply, {.framing = BodyFraming::kClose, .keep_alive = false});
  EXPECT_THAT(close, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(close, Not(HasSubstr("Transfer-Encoding")));
}

TEST(Wire, SomeStatusesHaveNoBody) {
  for (const int status : {204, 304}) {
    EXPECT_THAT(render_head({.status = status}, {}), Not(HasSubstr("Content-Length")));
  }
}

TEST(Wire, RendersChunks) {
  EXPECT_EQ(render_chunk("abc"), "3\r\nabc\r\n");
  EXPECT_EQ(render_chunk(std::string(31, 'x')), "1f\r\n" + std::string(31, 'x') + "\r\n");
}

}  // namespace
}  // namespace invar

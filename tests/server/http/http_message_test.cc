// Lookups in requests.
#include "server/http/http_message.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(HttpMessage, FindsHeadersInAnyCase) {
  const HttpRequest request{.method = "GET",
                            .path = "/",
                            .headers = {{.name = "Host", .value = "a"},
                                        {.name = "X-Two", .value = "first"},
                                        {.name = "x-two", .value = "second"}}};
  EXPECT_EQ(*request.find_header("hOST"), "a");
  EXPECT_EQ(*request.find_header("x-two"), "first");
  EXPECT_EQ(request.find_header("Hos"), nullptr);
  EXPECT_EQ(request.count_headers("X-TWO"), 2);
  EXPECT_EQ(request.count_headers("Hos"), 0);
}

TEST(HttpMessage, CaseIsThatOfAscii) {
  EXPECT_TRUE(equal_ignoring_case("aZ-9", "Az-9"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));  // differ in the bit that letters' cases differ in
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
}

TEST(HttpMessage, DecodesEscapes) {
  EXPECT_EQ(decode_percent("a%2Fb%20c%c3%A9"), "a/b c\xc3\xa9");
  EXPECT_EQ(decode_percent("%%4x%zz%-1%1"), "%%4x%zz%-1%1");
  EXPECT_EQ(decode_percent("%2541"), "%41");
  EXPECT_EQ(decode_percent(""), "");
}

TEST(HttpMessage, KnowsPhrases) {
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(431), "Request Header Fields Too Large");
  EXPECT_EQ(reason_phrase(299), "Status");
}

}  // namespace
}  // namespace invar

// Statuses and texts of requests that are wrong; over a socket: connection_test.cc.
#include "server/http/faults.h"

#include <gtest/gtest.h>

#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>

namespace invar {
namespace {

namespace http = boost::beast::http;

TEST(Faults, HaveAStatusWhereSomebodyIsThereToBeAnswered) {
  EXPECT_EQ(status_of(http::error::bad_method, /*expired=*/false), 400);
  EXPECT_EQ(status_of(http::error::body_limit, false), 413);
  EXPECT_EQ(status_of(http::error::header_limit, false), 431);
  EXPECT_EQ(status_of(http::error::bad_version, false), 505);
  EXPECT_EQ(status_of(boost::asio::error::operation_aborted, true), 408);
  EXPECT_EQ(status_of(http::error::partial_message, false), 0);
  EXPECT_EQ(status_of(boost::asio::error::connection_reset, false), 0);
}

TEST(Faults, SayWhichLimitWasPassed) {
  const HttpLimits limits;
  EXPECT_EQ(fault_text(408, {}, limits, true), "the request's head did not arrive within 10 s");
  EXPECT_EQ(fault_text(413, {}, limits, false), "the request's body is longer than 8388608 bytes");
  EXPECT_EQ(fault_text(503, {}, limits, false),
            "the server holds 268435456 bytes of requests' bodies, its limit");
}

TEST(Faults, OfAHead) {
  EXPECT_EQ(head_fault({.method = "GET", .path = "/"}, /*is_http_1_0=*/true), "");
  EXPECT_EQ(head_fault({.method = "GET", .path = "/"}, false),
            "header 'Host': expected one, found 0");
}

}  // namespace
}  // namespace invar

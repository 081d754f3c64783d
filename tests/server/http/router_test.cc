// Which route answers a method and a path.
#include "server/http/router.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

Router make_router() {
  return Router({{.method = "GET", .path = "/"},
                 {.method = "GET", .path = "/v1/models"},
                 {.method = "GET", .path = "/v1/models/*"},
                 {.method = "POST", .path = "/v1/models/new"},
                 {.method = "POST", .path = "/both"},
                 {.method = "GET", .path = "/both"}});
}

std::string found(const Router& router, std::string_view method, std::string_view path) {
  const Router::Match match = router.find(method, path);
  return match.route != nullptr ? match.route->path : "allow:" + match.allowed_methods;
}

TEST(Router, FindsExactPaths) {
  const Router router = make_router();
  EXPECT_EQ(found(router, "GET", "/"), "/");
  EXPECT_EQ(found(router, "GET", "/v1/models"), "/v1/models");
  EXPECT_EQ(found(router, "POST", "/both"), "/both");
  for (const char* path : {"", "/v1", "/v1/models/", "/v1/model", "/V1/models", "//"}) {
    EXPECT_EQ(found(router, "GET", path), "allow:") << path;
  }
}

TEST(Router, AStarTakesTheRest) {
  const Router router = make_router();
  EXPECT_EQ(found(router, "GET", "/v1/models/a/b"), "/v1/models/*");
  const Router::Match match = router.find("GET", "/v1/models/a/b");
  EXPECT_EQ(rest_of_path(*match.route, "/v1/models/a/b"), "a/b");
  EXPECT_EQ(rest_of_path(*router.find("GET", "/").route, "/"), "");
  // The exact path decides, though the open-ended one knows the method.
  EXPECT_EQ(found(router, "POST", "/v1/models/new"), "/v1/models/new");
  EXPECT_EQ(found(router, "GET", "/v1/models/new"), "allow:POST");
}

TEST(Router, SaysWhichMethodsAPathKnows) {
  const Router router = make_router();
  EXPECT_EQ(found(router, "PUT", "/both"), "allow:POST, GET, HEAD");
  EXPECT_EQ(found(router, "get", "/"), "allow:GET, HEAD");
}

TEST(Router, GetAnswersHead) {
  const Router router = make_router();
  EXPECT_EQ(found(router, "HEAD", "/v1/models"), "/v1/models");
  EXPECT_EQ(found(router, "HEAD", "/v1/models/new"), "allow:POST");
}

}  // namespace
}  // namespace invar

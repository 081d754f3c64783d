// From method and path to what answers: exact matches, and paths that end in "/*".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_handler.h"

namespace invar {

struct Route {
  std::string method;      // GET answers HEAD too
  std::string path;        // "/v1/models", or "/v1/models/*" for anything behind the slash
  bool is_public = false;  // needs no API key
  // As HttpHandler::start.
  std::function<std::unique_ptr<HttpTask>(const HttpRequest& request, const Wake& wake,
                                          const std::stop_token& gone)>
      start = {};
};

class Router {
 public:
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  struct Match {
    const Route* route = nullptr;
    // Without a route: the methods that the path knows, "GET, HEAD"; empty for an unknown path.
    std::string allowed_methods = {};
  };
  // An exact path wins over one with '*'.
  Match find(std::string_view method, std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

// What stands for '*' in a matched path.
std::string_view rest_of_path(const Route& route, std::string_view path);

}  // namespace invar

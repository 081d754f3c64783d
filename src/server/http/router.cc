// See router.h.
#include "server/http/router.h"

namespace invar {
namespace {

bool is_open_ended(const Route& route) {
  return route.path.ends_with("/*");
}

bool matches(const Route& route, std::string_view path) {
  if (!is_open_ended(route)) {
    return route.path == path;
  }
  const std::string_view folder = std::string_view(route.path).substr(0, route.path.size() - 1);
  return path.size() > folder.size() && path.starts_with(folder);
}

void append(std::string& list, std::string_view name) {
  list += list.empty() ? "" : ", ";
  list += name;
}

}  // namespace

Router::Match Router::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const bool open_ended : {false, true}) {
    Match match;
    for (const Route& route : routes_) {
      if (is_open_ended(route) != open_ended || !matches(route, path)) {
        continue;
      }
      if (route.method == wanted) {
        return {.route = &route, .allowed_methods = {}};
      }
      append(match.allowed_methods, route.method);
      if (route.method == "GET") {
        append(match.allowed_methods, "HEAD");
      }
    }
    if (!match.allowed_methods.empty()) {
      return match;
    }
  }
  return {};
}

std::string_view rest_of_path(const Route& route, std::string_view path) {
  return is_open_ended(route) ? path.substr(route.path.size() - 1) : std::string_view();
}

}  // namespace invar

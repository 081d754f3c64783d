// See static_files.h.
#include "server/static_files.h"

#include <fmt/format.h>

#include "core/digest.h"

namespace invar {
namespace {

std::unique_ptr<HttpTask> serve_file(const StaticFile& file, const std::string& etag,
                                     const HttpRequest& request) {
  HttpReply reply{
      .content_type = std::string(file.content_type),
      .headers = {{.name = "ETag", .value = etag}, {.name = "Cache-Control", .value = "no-cache"}}};
  const std::string* known = request.find_header("If-None-Match");
  if (known != nullptr && *known == etag) {
    reply.status = 304;
  } else {
    reply.body = std::string(file.bytes);
  }
  return std::make_unique<ReadyTask>(std::move(reply));
}

}  // namespace

std::vector<Route> static_routes(const std::vector<StaticFile>& files) {
  std::vector<Route> routes;
  for (const StaticFile& file : files) {
    const std::string etag =
        fmt::format("\"{:016x}\"", digest64(file.bytes.data(), file.bytes.size()));
    routes.push_back({.method = "GET",
                      .path = std::string(file.path),
                      .is_public = true,
                      .start = [file, etag](const HttpRequest& request, const Wake& /*wake*/,
                                            const std::stop_token& /*gone*/) {
                        return serve_file(file, etag, request);
                      }});
  }
  return routes;
}

}  // namespace invar

// Routes, and what holds for all of them: API key, media type, cross-origin headers, and errors
// that become replies (server.h).
#include "server/server.h"

#include <exception>
#include <utility>

#include "core/log.h"
#include "formats/printable.h"
#include "server/api/endpoints.h"
#include "server/http/router.h"

namespace invar {
namespace {

// What an endpoint throws, as a reply. The HTTP handler's place where errors are caught.
template <class Work>
std::unique_ptr<HttpTask> guarded(ApiCall& call, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (call.gone.stop_requested()) {
      return ready_error(stopping_error());
    }
    const ApiError reply = api_error(error, call.blame);
    if (reply.status == 500) {
      log_warn("{}: {}", call.request.path, error.what());
    }
    return ready_error(reply);
  } catch (const std::exception& error) {
    log_warn("{}: {}", call.request.path, error.what());
    return ready_error({.status = 500, .message = std::string(kNoFaultOfTheClient)});
  }
}

using Endpoint = std::function<std::unique_ptr<HttpTask>(ApiCall& call)>;

Route route(const char* method, const char* path, Endpoint endpoint) {
  return {.method = method,
          .path = path,
          .start = [endpoint = std::move(endpoint)](const HttpRequest& request, const Wake& wake,
                                                    const std::stop_token& gone) {
            ApiCall call{.request = request, .wake = wake, .gone = gone};
            return guarded(call, [&] { return endpoint(call); });
          }};
}

// "application/json; charset=utf-8" is JSON.
bool is_json(const std::string* content_type) {
  return content_type != nullptr &&
         equal_ignoring_case(
             std::string_view(*content_type).substr(0, content_type->find_first_of("; ")),
             "application/json");
}

}  // namespace

bool equal_in_constant_time(std::string_view secret, std::string_view given) {
  unsigned difference = secret.size() == given.size() ? 0u : 1u;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(expected) ^ static_cast<unsigned char>(given[i]);
  }
  return difference == 0;
}

class Server::Handler final : public HttpHandler {
 public:
  Handler(const ServedModel& model, ServerOptions options)
      : options_(std::move(options)),
        context_{.model = model, .metrics = &metrics_, .random = options_.random},
        router_(make_routes()) {}

  HttpCounts& counts() { return counts_; }
  const HttpServerOptions& http_options() const { return options_.http; }

  std::optional<HttpReply> refuse(const HttpRequest& head) override {
    if (is_preflight(head)) {
      return preflight_reply();
    }
    const Router::Match match = router_.find(head.method, head.path);
    if (match.route == nullptr && match.allowed_methods.empty()) {
      return error_reply(
          {.status = 404, .message = fmt::format("unknown path '{}'", printable(head.path))});
    }
    if (match.route == nullptr) {
      return error_reply({.status = 405,
                          .message = fmt::format("{}: expected {}, found {}", printable(head.path),
                                                 match.allowed_methods, printable(head.method)),
                          .headers = {{.name = "Allow", .value = match.allowed_methods}}});
    }
    if (!match.route->is_public && !options_.api_key.empty() && !has_key(head)) {
      return error_reply({.status = 401,
                          .message = "expected the header 'Authorization: Bearer KEY' with the "
                                     "server's API key",
                          .headers = {{.name = "WWW-Authenticate", .value = "Bearer"}}});
    }
    return match.route->method == "POST" ? refuse_media(head) : std::nullopt;
  }

  std::unique_ptr<HttpTask> start(const HttpRequest& request, const Wake& wake,
                                  const std::stop_token& gone) override {
    return router_.find(request.method, request.path).route->start(request, wake, gone);
  }

  HttpReply error_reply(int status, const std::string& message) override {
    if (status != 503) {  // counted here, because nothing is known of the path
      metrics_.count_reply("other", status);
    }
    return error_reply({.status = status, .message = message});
  }

  void finish_head(const HttpRequest& head, HttpReply& reply) override {
    const Router::Match match = router_.find(head.method, head.path);
    metrics_.count_reply(match.route == nullptr ? "other" : match.route->path, reply.status);
    reply.headers.push_back({.name = "X-Content-Type-Options", .value = "nosniff"});
    if (!options_.cors_origin.empty()) {
      reply.headers.push_back(
          {.name = "Access-Control-Allow-Origin", .value = options_.cors_origin});
      reply.headers.push_back({.name = "Vary", .value = "Origin"});
    }
  }

 private:
  static HttpReply error_reply(const ApiError& error) { return invar::error_reply(error); }

  std::vector<Route> make_routes() {
    std::vector<Route> routes = static_routes(options_.static_files);
    const ApiContext& context = context_;
    routes.push_back(route("POST", "/v1/chat/completions",
                           [&](ApiCall& call) { return chat_completions(context, call); }));
    routes.push_back(route("POST", "/v1/completions",
                           [&](ApiCall& call) { return completions(context, call); }));
    routes.push_back(route("GET", "/v1/models", [&](ApiCall&) { return list_models(context); }));
    routes.push_back(route("GET", "/v1/models/*", [&](ApiCall& call) {
      return show_model(context, decode_percent(call.request.path.substr(kModelsFolder.size())));
    }));
    routes.push_back(
        route("POST", "/tokenize", [&](ApiCall& call) { return tokenize(context, call); }));
    routes.push_back(
        route("POST", "/detokenize", [&](ApiCall& call) { return detokenize(context, call); }));
    routes.push_back(route("GET", "/metrics", [this](ApiCall&) { return show_metrics(); }));
    routes.push_back(route("GET", "/health", [](ApiCall&) {
      return ready_json({{"status", "ok"}});
    }));
    routes.back().is_public = true;
    return routes;
  }

  std::unique_ptr<HttpTask> show_metrics() const {
    return std::make_unique<ReadyTask>(
        HttpReply{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                  .body = metrics_.render(context_.model.engine->stats(), counts_)});
  }

  bool has_key(const HttpRequest& head) const {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string* header = head.find_header("Authorization");
    return header != nullptr && header->size() >= kScheme.size() &&
           equal_ignoring_case(std::string_view(*header).substr(0, kScheme.size()), kScheme) &&
           equal_in_constant_time(options_.api_key,
                                  std::string_view(*header).substr(kScheme.size()));
  }

  // A browser may send other media types across origins without asking first.
  static std::optional<HttpReply> refuse_media(const HttpRequest& head) {
    const std::string* type = head.find_header("Content-Type");
    if (!is_json(type)) {
      return error_reply(
          {.status = 415,
           .message = fmt::format("header 'Content-Type': expected application/json, found {}",
                                  type == nullptr ? "none" : printable(*type))});
    }
    const std::string* encoding = head.find_header("Content-Encoding");
    if (encoding != nullptr && !equal_ignoring_case(*encoding, "identity")) {
      return error_reply(
          {.status = 415,
           .message = fmt::format("header 'Content-Encoding': expected none, found {}",
                                  printable(*encoding))});
    }
    return std::nullopt;
  }

  bool is_preflight(const HttpRequest& head) const {
    return !options_.cors_origin.empty() && head.method == "OPTIONS" &&
           head.find_header("Access-Control-Request-Method") != nullptr;
  }

  static HttpReply preflight_reply() {
    return {
        .status = 204,
        .content_type = {},
        .headers = {{.name = "Access-Control-Allow-Methods", .value = "GET, POST"},
                    {.name = "Access-Control-Allow-Headers",
                     .value = "Authorization, Content-Type, *"},  // client libraries send their own
                    {.name = "Access-Control-Max-Age", .value = "600"}}};
  }

  static constexpr std::string_view kModelsFolder = "/v1/models/";

  const ServerOptions options_;
  ServerMetrics metrics_;
  HttpCounts counts_;
  const ApiContext context_;
  const Router router_;
};

Server::Server(const ServedModel& model, ServerOptions options)
    : handler_(std::make_unique<Handler>(model, std::move(options))),
      http_(std::make_unique<HttpServer>(*handler_, handler_->counts(), handler_->http_options())) {
}

Server::~Server() = default;

uint16_t Server::port() const {
  return http_->port();
}

void Server::run() {
  http_->run();
}

void Server::stop() {
  http_->stop();
}

}  // namespace invar

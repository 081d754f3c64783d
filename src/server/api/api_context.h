// What every endpoint can use.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "server/api/error.h"
#include "server/http/http_handler.h"
#include "server/metrics.h"
#include "server/served_model.h"

namespace invar {

struct ApiContext {
  ServedModel model;
  ServerMetrics* metrics = nullptr;
  // For ids and for requests without a seed; any thread.
  std::function<uint64_t()> random = {};
};

// A request on its way through an endpoint. The endpoint says which field is in hand, for errors
// that do not name one themselves.
struct ApiCall {
  const HttpRequest& request;
  const Wake& wake;
  std::stop_token gone = {};  // the client has left: work on its text stops
  std::string blame = {};
};

// The body as JSON. Error kBadFile "body: line 1, byte 7: ..."
nlohmann::json parse_body(const HttpRequest& request);

// A request that names another model than the served one.
std::optional<ApiError> refuse_model(const ApiContext& context,
                                     const std::optional<std::string>& model);

std::unique_ptr<HttpTask> ready_json(const nlohmann::ordered_json& body);
std::unique_ptr<HttpTask> ready_error(const ApiError& error);

// JSON text, never failing: text that is not UTF-8 has its broken bytes replaced.
std::string dump_json(const nlohmann::ordered_json& value);

}  // namespace invar

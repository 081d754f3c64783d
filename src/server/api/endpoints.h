// The endpoints, one function each, in files of their names. `context` outlives what they return.
// Errors in a request are thrown and become a reply in server.cc.
#pragma once

#include <memory>
#include <string_view>

#include "server/api/api_context.h"

namespace invar {

// POST /v1/chat/completions
std::unique_ptr<HttpTask> chat_completions(const ApiContext& context, ApiCall& call);
// POST /v1/completions
std::unique_ptr<HttpTask> completions(const ApiContext& context, ApiCall& call);
// GET /v1/models and /v1/models/ID
std::unique_ptr<HttpTask> list_models(const ApiContext& context);
std::unique_ptr<HttpTask> show_model(const ApiContext& context, std::string_view id);
// POST /tokenize and /detokenize
std::unique_ptr<HttpTask> tokenize(const ApiContext& context, ApiCall& call);
std::unique_ptr<HttpTask> detokenize(const ApiContext& context, ApiCall& call);

}  // namespace invar

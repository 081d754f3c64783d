// The fields that chat and completions share, and the table of fields that ask for nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "server/api/json_fields.h"
#include "server/api/openai_request.h"

namespace invar {

// Reads what both kinds of request have, but for logprobs, whose forms differ. `max_tokens_min`: of
// an answer.
GenerationFields read_generation_fields(JsonFields& fields, const RequestLimits& limits,
                                        int64_t max_tokens_min);

// Fields of OpenAI's API that are not supported may be there with a value that changes nothing
// (`"tools": []`); with any other they are refused by name. `neutral`: field -> list of such
// values.
void refuse_unless_neutral(JsonFields& fields, const nlohmann::json& neutral);

// A list of token ids.
std::vector<int32_t> read_token_ids(const nlohmann::json& list, const std::string& path,
                                    int64_t vocabulary);

}  // namespace invar

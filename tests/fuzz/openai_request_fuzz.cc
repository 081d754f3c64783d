// Fuzz target: bodies of requests to the OpenAI API. What is accepted is within the limits.
#include <cstdint>

#include "core/error.h"
#include "formats/json.h"
#include "server/api/openai_request.h"

namespace {

constexpr invar::RequestLimits kLimits{.choices_max = 4, .prompts_max = 4, .vocabulary = 1000};

void check(const invar::GenerationFields& fields) {
  INVAR_CHECK(fields.choices >= 1 && fields.choices <= 4);
  INVAR_CHECK(fields.max_tokens.value_or(1) >= 1);
  invar::validate(fields.sampling, kLimits.vocabulary);
}

template <class Parse>
void run(const nlohmann::json& body, Parse parse) {
  std::optional<invar::GenerationFields> fields;
  try {
    fields = parse(body, kLimits).generation;
  } catch (const invar::Error&) {
    // The expected end of a wrong request. Anything else thrown ends the process.
  }
  if (fields) {
    check(*fields);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nlohmann::json body;
  try {
    body = invar::parse_json("body", {reinterpret_cast<const char*>(data), size});
  } catch (const invar::Error&) {
    return 0;
  }
  run(body, invar::parse_chat_request);
  run(body, invar::parse_completion_request);
  return 0;
}

// Fuzz target: chat templates. What is accepted renders within its limits to UTF-8 text, twice the
// same, or ends in an error.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "text/jinja/template.h"
#include "text/utf8.h"

namespace {

// Small, so that an input takes a moment at most.
constexpr invar::jinja::Limits kLimits{
    .steps = 200'000, .text_bytes = int64_t{1} << 20, .live_bytes = int64_t{16} << 20};

const invar::jinja::Template::Inputs& inputs() {
  static const invar::jinja::Template::Inputs kInputs{
      .variables = nlohmann::ordered_json::parse(R"({
        "messages": [{"role": "system", "content": "Be kind."},
                     {"role": "user", "content": [{"type": "text", "text": "a\u00e9\n"}]},
                     {"role": "assistant", "content": "", "tool_calls": [{"id": 1}]},
                     {"role": "user", "content": "b"}],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"x": 1.5}}}],
        "bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": true})"),
      .now = {.year = 2026, .month = 3, .day = 4},
      .parts_as_text = true};
  return kInputs;
}

std::optional<std::string> render(const invar::jinja::Template& source) {
  try {
    return source.render(inputs());
  } catch (const invar::Error&) {
    // The expected end of what is wrong, raises or takes too much.
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  std::optional<invar::jinja::Template> parsed;
  try {
    parsed = invar::jinja::Template::parse(source, "fuzz", kLimits);
  } catch (const invar::Error&) {
    return 0;
  }
  const std::optional<std::string> text = render(*parsed);
  INVAR_CHECK(text == render(*parsed), "a render depends on more than its inputs");
  if (text) {
    INVAR_CHECK(static_cast<int64_t>(text->size()) <= kLimits.text_bytes);
    INVAR_CHECK(invar::utf8_is_valid(*text), "rendered text is not UTF-8");
  }
  return 0;
}

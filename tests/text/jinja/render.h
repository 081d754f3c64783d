// Short ways to check what a piece of template gives: tables of sources and texts, of sources and
// messages.
#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "text/jinja/limits.h"

namespace invar::jinja {

using Json = nlohmann::ordered_json;

// Renders as the template "t", on 2026-03-04 at 05:06:07, without variables or with these.
std::string render(std::string_view source);
std::string render(std::string_view source, const Json& variables, const Limits& limits = {});

// The message of the Error that `action` throws, "no error" if it throws none.
std::string error_of(const std::function<void()>& action);

std::string render_error(std::string_view source);
std::string render_error(std::string_view source, const Limits& limits);
std::string render_error(std::string_view source, const Json& variables, const Limits& limits = {});

// The cases render with the variables of render.cc.
struct RenderCase {
  std::string_view source;
  std::string_view text;
};
void expect_texts(std::initializer_list<RenderCase> cases);

struct ErrorCase {
  std::string_view source;
  std::string_view message;
};
void expect_messages(std::initializer_list<ErrorCase> cases);

}  // namespace invar::jinja

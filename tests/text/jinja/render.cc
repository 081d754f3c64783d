// Rendering for tests (render.h), and the variables their cases share.
#include "text/jinja/render.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "text/jinja/template.h"

namespace invar::jinja {
namespace {

Json example_variables() {
  return Json::parse(R"({
    "s": "Hello World", "n": null, "i": 7, "f": 2.5, "b": true,
    "l": [3, 1, 2], "w": ["b", "A", "c"], "e": [],
    "d": {"a": 1, "b": {"c": [10, 20]}, "items": "x"},
    "u": "Zürich ß 漢字 😀", "big": 18446744073709551615, "neg": -7,
    "q": "it's \"q\"\n\t\u0001\u200b",
    "msgs": [{"role": "user", "content": "hi", "n": 1},
             {"role": "assistant", "content": "yo", "n": 2},
             {"role": "user", "content": "bye"}]
  })");
}

}  // namespace

std::string render(std::string_view source) {
  return render(source, Json::object());
}

std::string render(std::string_view source, const Json& variables, const Limits& limits) {
  return Template::parse(source, "t", limits)
      .render({.variables = variables,
               .now = {.year = 2026, .month = 3, .day = 4, .hour = 5, .minute = 6, .second = 7},
               .parts_as_text = false});
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string render_error(std::string_view source) {
  return render_error(source, Json::object());
}

std::string render_error(std::string_view source, const Limits& limits) {
  return render_error(source, Json::object(), limits);
}

std::string render_error(std::string_view source, const Json& variables, const Limits& limits) {
  return error_of([&] { (void)render(source, variables, limits); });
}

void expect_texts(std::initializer_list<RenderCase> cases) {
  const Json variables = example_variables();
  for (const RenderCase& one : cases) {
    std::string text;
    const std::string error = error_of([&] { text = render(one.source, variables); });
    EXPECT_EQ(error, "no error") << one.source;
    EXPECT_EQ(text, one.text) << one.source;
  }
}

void expect_messages(std::initializer_list<ErrorCase> cases) {
  const Json variables = example_variables();
  for (const ErrorCase& one : cases) {
    EXPECT_EQ(render_error(one.source, variables), one.message) << one.source;
  }
}

}  // namespace invar::jinja

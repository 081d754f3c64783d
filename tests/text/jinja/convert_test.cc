// JSON inputs as values of templates.
#include "text/jinja/convert.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "text/jinja/render.h"
#include "text/jinja/template.h"

namespace invar::jinja {
namespace {

std::string render_with_parts(std::string_view source, const Json& content) {
  const Json messages = Json::array({{{"role", "user"}, {"content", content}}});
  return Template::parse(source, "t")
      .render({.variables = {{"messages", messages}, {"other", messages}},
               .now = {},
               .parts_as_text = true});
}

Json text_parts() {
  return Json::parse(R"([{"type": "text", "text": "One."}, {"type": "text", "text": " Two."}])");
}

TEST(Convert, TakesEveryKindOfJson) {
  const Json value = Json::parse(
      R"([null, true, -3, 18446744073709551615, 1.0, "é", [], {"b": {"c": 1}, "a": 2}])");
  EXPECT_EQ(render("{{ v }}", {{"v", value}}),
            "[None, True, -3, 18446744073709551615, 1.0, 'é', [], {'b': {'c': 1}, 'a': 2}]");
  EXPECT_EQ(render("{{ v|tojson }}", {{"v", value}}),
            R"([null, true, -3, 18446744073709551615, 1.0, "é", [], {"b": {"c": 1}, "a": 2}])");
}

TEST(Convert, RefusesBadTexts) {
  EXPECT_EQ(render_error("x", {{"v", "\xff"}}), "t:1: an input text is not UTF-8");
  EXPECT_EQ(render_error("x", {{"v", {{"\xff", 1}}}}), "t:1: an input text is not UTF-8");
  EXPECT_EQ(render_error("x", {{"v", "abc"}}, {.text_bytes = 2}),
            "t:1: a text is longer than 2 bytes");
}

TEST(Convert, RefusesDeepInputs) {
  EXPECT_EQ(render("x", {{"v", {{1}}}}, {.value_depth = 4}), "x");
  EXPECT_EQ(render_error("x", {{"v", {{{{{1}}}}}}}, {.value_depth = 4}),
            "t:1: the inputs are nested more than 4 deep");
}

TEST(Convert, LetsTextPartsStandForTheirText) {
  const auto text = [](std::string_view source) { return render_with_parts(source, text_parts()); };
  const std::string content = "{% set c = messages[0].content %}";
  EXPECT_EQ(text(content + "{{ c }}"), "One. Two.");
  EXPECT_EQ(text(content + "{{ 'a' + c + 'b' }} {{ c ~ '!' }} {{ c|trim }}"),
            "aOne. Two.b One. Two.! One. Two.");
  EXPECT_EQ(text(content + "{{ c.startswith('One') }} {{ c.split('.')[0] }} {{ c['upper']() }}"),
            "True One ONE. TWO.");
  EXPECT_EQ(text(content + "{{ 'Two' in c }} {{ 'Three' in c }} {{ c|upper }} {{ '%s' % c }}"),
            "True False ONE. TWO. One. Two.");
  EXPECT_EQ(text(content + "{{ c|replace('One', '1') }} {{ [c, 'x']|join('|') }}"),
            "1. Two. One. Two.|x");
}

TEST(Convert, KeepsTextPartsAListForTemplatesThatWantOne) {
  const auto text = [](std::string_view source) { return render_with_parts(source, text_parts()); };
  const std::string content = "{% set c = messages[0].content %}";
  EXPECT_EQ(text(content + "{% for part in c %}<{{ part.text }}>{% endfor %}"), "<One.>< Two.>");
  EXPECT_EQ(text(content + "{{ c is string }} {{ c is iterable }} {{ c|length }} {{ c[1].text }}"),
            "False True 2  Two.");
  EXPECT_EQ(text(content + "{{ c|map(attribute='text')|list }} {{ c|tojson }}"),
            "['One.', ' Two.'] [{\"type\": \"text\", \"text\": \"One.\"}, "
            "{\"type\": \"text\", \"text\": \" Two.\"}]");
  EXPECT_EQ(text(content + "{{ c.count(1) }} {{ (c + [1])|length }}"), "0 3");
}

TEST(Convert, LeavesOtherListsAlone) {
  const Json image = Json::parse(R"([{"type": "text", "text": "a"}, {"type": "image"}])");
  EXPECT_EQ(render_with_parts("{{ messages[0].content }}", image),
            "[{'type': 'text', 'text': 'a'}, {'type': 'image'}]");
  EXPECT_EQ(render_with_parts("{{ messages[0].content }}", Json::array()), "[]");
  EXPECT_EQ(render_with_parts("{{ messages[0].content }}", Json::parse(R"([{"type": "text"}])")),
            "[{'type': 'text'}]");
  EXPECT_EQ(render_with_parts("{{ other[0].content[0].text }}{{ other[0].content is string }}",
                              text_parts()),
            "One.False");
  EXPECT_EQ(render_with_parts("{{ other[0].content }}", Json::array({1})), "[1]");
  EXPECT_EQ(render("{{ messages[0].content }}",
                   {{"messages", Json::array({{{"content", text_parts()}}})}}),
            "[{'type': 'text', 'text': 'One.'}, {'type': 'text', 'text': ' Two.'}]");
}

}  // namespace
}  // namespace invar::jinja

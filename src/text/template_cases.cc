// Checks of rendered chat templates (template_cases.h).
#include "text/template_cases.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "formats/json.h"
#include "formats/mapped_file.h"
#include "text/jinja/template.h"

namespace invar {
namespace {

using Json = nlohmann::ordered_json;

struct CaseFile {
  std::string name;
  CivilTime now;
  Json special_tokens = Json::object();
  Json conversations;
  Json renders;
};

const Json& member(const std::string& name, const Json& object, const std::string& key,
                   Json::value_t type) {
  const auto found = object.find(key);
  if (found == object.end() || found->type() != type) {
    fail(Code::kBadFile, "{}: '{}': expected {}, found {}", name, key, Json(type).type_name(),
         found == object.end() ? "nothing" : found->type_name());
  }
  return *found;
}

CaseFile read_cases(const std::filesystem::path& path) {
  const Json root = read_ordered_json_file(path);
  CaseFile file;
  file.name = path.string();
  if (!root.is_object()) {
    fail(Code::kBadFile, "{}: expected an object, found {}", file.name, root.type_name());
  }
  file.now = parse_civil_time(
      member(file.name, root, "now", Json::value_t::string).get_ref<const std::string&>());
  for (const auto& [name, token] :
       member(file.name, root, "special", Json::value_t::object).items()) {
    if (!token.is_string()) {
      fail(Code::kBadFile, "{}: special token '{}': expected string, found {}", file.name, name,
           token.type_name());
    }
    file.special_tokens[name] = token;
  }
  file.conversations = member(file.name, root, "conversations", Json::value_t::object);
  file.renders = member(file.name, root, "renders", Json::value_t::object);
  return file;
}

// The variables of a render: what the file records and nothing else (a ChatTemplate adds some).
Json variables_of(const CaseFile& file, const std::string& conversation_name) {
  const Json& conversation =
      member(file.name, file.conversations, conversation_name, Json::value_t::object);
  member(file.name, conversation, "messages", Json::value_t::array);
  Json variables = file.special_tokens;
  variables.update(conversation);
  return variables;
}

struct Outcome {
  bool raised = false;
  std::string text;  // what was rendered, or the error's message
};

// A template's error is an expected outcome here.
Outcome render_case(const CaseFile& file, const std::filesystem::path& path,
                    const Json& variables) {
  try {
    const MappedFile source(path);
    const auto parsed = jinja::Template::parse(
        {reinterpret_cast<const char*>(source.bytes().data()), source.bytes().size()},
        path.filename().string());
    // As the reference: a list of text parts is no string.
    return {false,
            parsed.render({.variables = variables, .now = file.now, .parts_as_text = false})};
  } catch (const Error& error) {
    return {true, error.what()};
  }
}

// Some text around `place`, in quotes.
std::string excerpt(const std::string& text, size_t place) {
  constexpr size_t kBefore = 20;
  constexpr size_t kLength = 60;
  const size_t begin = place > kBefore ? place - kBefore : 0;
  return Json(text.substr(begin, kLength))
      .dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

// Empty if the outcome is as expected.
std::string difference(const Json& expected, const Outcome& outcome) {
  if (expected.contains("error")) {
    return outcome.raised ? "" : "expected an error, found a text";
  }
  if (outcome.raised) {
    return "expected a text, found the error " + outcome.text;
  }
  const auto& text = expected.at("text").get_ref<const std::string&>();
  if (text == outcome.text) {
    return "";
  }
  const auto [mine, wanted] =
      std::mismatch(outcome.text.begin(), outcome.text.end(), text.begin(), text.end());
  const auto place = static_cast<size_t>(wanted - text.begin());
  return fmt::format("byte {}: expected {}, found {}", place, excerpt(text, place),
                     excerpt(outcome.text, place));
}

}  // namespace

TemplateCaseCounts check_template_cases(const std::filesystem::path& cases,
                                        const std::filesystem::path& templates,
                                        const std::function<void(const std::string&)>& report) {
  const CaseFile file = read_cases(cases);
  TemplateCaseCounts counts;
  for (const auto& [template_name, renders] : file.renders.items()) {
    for (const auto& [conversation_name, expected] : renders.items()) {
      const bool is_case =
          expected.is_object() && (expected.contains("error") ||
                                   (expected.contains("text") && expected["text"].is_string()));
      if (!is_case) {
        fail(Code::kBadFile, "{}: render '{}' of '{}': expected a text or an error", file.name,
             conversation_name, template_name);
      }
      const Outcome outcome =
          render_case(file, templates / template_name, variables_of(file, conversation_name));
      const std::string fault = difference(expected, outcome);
      if (fault.empty()) {
        ++counts.passed;
      } else {
        ++counts.failed;
        report(fmt::format("{} {}: {}", template_name, conversation_name, fault));
      }
    }
  }
  return counts;
}

}  // namespace invar

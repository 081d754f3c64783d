// invar template: renders a conversation, or checks templates against reference renders.
#include <fmt/format.h>

#include <ctime>

#include "cli/command.h"
#include "core/error.h"
#include "formats/json.h"
#include "text/model_text.h"
#include "text/template_cases.h"

namespace invar {
namespace {

struct Flags {
  std::string model;
  std::string messages;
  std::string cases;
  std::string templates;
};

int run_cases(const Flags& flags) {
  if (flags.templates.empty()) {
    fail(Code::kBadArgument, "template --cases FILE: expected --templates DIR, found none");
  }
  const TemplateCaseCounts counts = check_template_cases(
      flags.cases, flags.templates, [](const std::string& line) { fmt::print("{}\n", line); });
  fmt::print("{} passed, {} failed\n", counts.passed, counts.failed);
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}

// The file holds a list of messages, or an object with `messages`, and optionally `tools` and more
// variables.
ChatTemplate::Request read_request(const std::string& path) {
  nlohmann::ordered_json json = read_ordered_json_file(path);
  ChatTemplate::Request request;
  request.now = local_civil_time(std::time(nullptr));
  if (json.is_array()) {
    request.messages = std::move(json);
    return request;
  }
  if (!json.is_object() || !json.contains("messages") || !json["messages"].is_array()) {
    fail(Code::kBadFile, "{}: expected a list of messages or an object with 'messages', found {}",
         path, json.type_name());
  }
  for (auto& [key, value] : json.items()) {
    if (key == "messages") {
      request.messages = value;
    } else if (key == "tools") {
      request.tools = value;
    } else if (key == "add_generation_prompt" && value.is_boolean()) {
      request.add_generation_prompt = value.get<bool>();
    } else {
      request.variables[key] = value;
    }
  }
  return request;
}

int run(const Flags& flags) {
  if (!flags.cases.empty()) {
    return run_cases(flags);
  }
  if (flags.model.empty() || flags.messages.empty()) {
    fail(Code::kBadArgument,
         "template: expected MODEL and --messages FILE, or --cases FILE with --templates DIR");
  }
  const ModelText text = load_model_text(flags.model);
  if (!text.chat_template) {
    fail(Code::kBadFile, "{}: chat template: expected one, found none", flags.model);
  }
  fmt::print("{}", text.chat_template->render(read_request(flags.messages)));
  return 0;
}

}  // namespace

Command make_template_command() {
  auto flags = std::make_shared<Flags>();
  return {.name = "template",
          .summary = "Render a conversation with a model's chat template",
          .options = {{.name = "MODEL",
                       .help = "a GGUF file or a Hugging Face folder",
                       .target = &flags->model},
                      {.name = "--messages",
                       .help = "JSON file: a list of messages, or an object with 'messages'",
                       .target = &flags->messages},
                      {.name = "--cases",
                       .help = "check against a file of reference renders",
                       .target = &flags->cases},
                      {.name = "--templates",
                       .help = "with --cases: the folder of the .jinja files",
                       .target = &flags->templates}},
          .run = [flags] { return run(*flags); }};
}

}  // namespace invar

// The chat template of a model: from messages and tools to the prompt's text.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text/civil_time.h"
#include "text/jinja/template.h"

namespace invar {

// "bos_token", "eos_token", "pad_token", ...: the variables a template knows them by.
using SpecialTokens = std::map<std::string, std::string>;

// Immutable; renders may run on several threads at a time.
class ChatTemplate {
 public:
  struct Source {
    std::string_view text;
    std::string_view name;  // for messages
    SpecialTokens special_tokens;
  };
  // Error kBadFile or kUnsupported "name:line: message".
  explicit ChatTemplate(const Source& source);

  struct Request {
    nlohmann::ordered_json messages = nlohmann::ordered_json::array();
    nlohmann::ordered_json tools;  // null: None, which is defined
    bool add_generation_prompt = true;
    // More variables by name, for example enable_thinking; they win over the others, among which
    // `documents` is None.
    nlohmann::ordered_json variables = nlohmann::ordered_json::object();
    CivilTime now;
    // Contents that are lists of text parts count as their text, joined, wherever the template uses
    // them as a string. Off: exactly the reference's typing.
    bool parts_as_text = true;
    // For messages, instead of the template's name, which tells where its file is.
    std::string_view label = {};
    std::stop_token stop = {};  // lets another thread stop the render
  };
  // Error kBadArgument "name:line: message"; what the template itself raises is in the message.
  // Error kExhausted if request.stop says so.
  std::string render(const Request& request) const;

 private:
  jinja::Template template_;
  SpecialTokens special_tokens_;
};

}  // namespace invar

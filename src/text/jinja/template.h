// A parsed chat template: our own subset of the Jinja language, with the settings that chat
// templates are written for (trim_blocks, lstrip_blocks, no escaping, loop controls, generation
// blocks). It reaches nothing but its inputs, and every resource it takes is bounded (limits.h).
// Threads: parsing yields an immutable object; renders may run on several threads at a time.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "text/civil_time.h"
#include "text/jinja/limits.h"

namespace invar::jinja {

struct TemplateTree;

class Template {
 public:
  // `name` is for messages. Error kBadFile "name:line: message" if the source is not a template,
  // kUnsupported if it uses what the language has and this program does not.
  static Template parse(std::string_view source, std::string_view name, const Limits& limits = {});

  struct Inputs {
    nlohmann::ordered_json variables = nlohmann::ordered_json::object();
    CivilTime now;
    // A message's content of text parts alone may be used as if it were their text, joined.
    bool parts_as_text = false;
    std::string_view label = {};  // for messages, instead of the name; empty: the name
    std::stop_token stop = {};    // lets another thread stop the render: Error kExhausted
  };
  // Error kBadArgument "name:line: message", also for what the template itself raises.
  std::string render(const Inputs& inputs) const;

  const std::string& name() const { return name_; }

 private:
  Template() = default;
  std::string name_;
  Limits limits_;
  std::shared_ptr<const TemplateTree> tree_;
};

}  // namespace invar::jinja

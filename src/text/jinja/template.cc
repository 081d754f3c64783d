// Parsing and rendering, put together (template.h).
#include "text/jinja/template.h"

#include "text/jinja/convert.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/parser.h"

namespace invar::jinja {

struct TemplateTree {
  Body body;
};

Template Template::parse(std::string_view source, std::string_view name, const Limits& limits) {
  auto tree = std::make_shared<TemplateTree>();
  tree->body = parse_template({.text = source, .name = name}, limits);
  Template result;
  result.name_ = name;
  result.limits_ = limits;
  result.tree_ = std::move(tree);
  return result;
}

std::string Template::render(const Inputs& inputs) const {
  Runtime runtime({.template_name = inputs.label.empty() ? name_ : std::string(inputs.label),
                   .limits = limits_,
                   .now = inputs.now,
                   .parts_as_text = inputs.parts_as_text,
                   .stop = StopCheck(inputs.stop)});
  Evaluator evaluator(runtime, convert_variables(runtime, inputs.variables));
  return evaluator.render(tree_->body);
}

}  // namespace invar::jinja

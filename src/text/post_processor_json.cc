// Post-processors of tokenizer.json, as far as they concern one text.
#include "core/error.h"
#include "text/component_json.h"
#include "text/vocabulary.h"

namespace invar {
namespace {

int32_t read_id(const JsonNode& node) {
  const int64_t id = node.integer();
  if (id < 0 || id >= Vocabulary::kMaxTokens) {
    node.expected("a token id");
  }
  return static_cast<int32_t>(id);
}

// "single": the pieces around the text, which must be there once.
void append_template(const JsonNode& node, Affixes& affixes) {
  const JsonNode single = node.get("single");
  const std::optional<JsonNode> known = node.find("special_tokens");
  int texts = 0;
  for (const JsonNode& piece : single.items()) {
    if (piece.find("Sequence").has_value()) {
      if (piece.get("Sequence").get("id").string() != "A") {
        piece.expected("the sequence A");
      }
      ++texts;
      continue;
    }
    const JsonNode name = piece.get("SpecialToken").get("id");
    const std::optional<JsonNode> token =
        known.has_value() ? known->find(name.string()) : std::nullopt;
    if (!token.has_value()) {
      name.expected("a token that special_tokens has");
    }
    for (const JsonNode& id : token->get("ids").items()) {
      (texts == 0 ? affixes.prefix : affixes.suffix).push_back(read_id(id));
    }
  }
  if (texts != 1) {
    single.expected("the sequence A once");
  }
}

// ["[CLS]", 101]
int32_t read_named_id(const JsonNode& node) {
  const std::vector<JsonNode> pair = node.items();
  if (pair.size() != 2) {
    node.expected("a token and its id");
  }
  return read_id(pair[1]);
}

void append_post_processor(const JsonNode& node, int depth, Affixes& affixes) {
  const std::string_view type = node.get("type").string();
  if (type == "Sequence") {
    if (depth == kMaxComponentDepth) {
      node.expected("less nesting");
    }
    for (const JsonNode& inner : node.get("processors").items()) {
      append_post_processor(inner, depth + 1, affixes);
    }
    return;
  }
  if (type == "ByteLevel") {
    return;  // changes offsets only
  }
  if (!affixes.prefix.empty() || !affixes.suffix.empty()) {
    node.unsupported("a second post-processor that adds tokens", type);
  }
  if (type == "TemplateProcessing") {
    append_template(node, affixes);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    affixes.prefix.push_back(read_named_id(node.get("cls")));
    affixes.suffix.push_back(read_named_id(node.get("sep")));
  } else {
    node.unsupported("post-processor", type);
  }
}

}  // namespace

Affixes read_post_processor(const JsonNode& node) {
  Affixes affixes;
  append_post_processor(node, 0, affixes);
  return affixes;
}

}  // namespace invar

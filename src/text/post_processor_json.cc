// Post-processors of tokenizer.json, as far as they concern one text.
#include "core/error.h"
#include "text/component_json.h"

namespace invar {
namespace {

// {"Sequence": {"id": "A", "type_id": 0}}, or the same with "SpecialToken" and a token's name.
struct TemplatePiece {
  JsonNode id;
  bool is_token = false;
};

TemplatePiece read_piece(const JsonNode& node) {
  const std::optional<JsonNode> text = node.find("Sequence");
  const JsonNode content = text.has_value() ? *text : node.get("SpecialToken");
  if (const std::optional<JsonNode> type = content.find("type_id")) {
    if (type->integer() < 0 || type->integer() > UINT32_MAX) {
      type->expected("0 to 4294967295");
    }
  }
  const JsonNode id = content.get("id");
  if (text.has_value() && id.string() != "A" && id.string() != "B") {
    id.expected("the sequence A or B");
  }
  return {.id = id, .is_token = !text.has_value()};
}

// The ids of a piece that is a token.
std::vector<int32_t> token_ids(const TemplatePiece& piece, const std::optional<JsonNode>& known) {
  const std::optional<JsonNode> token =
      known.has_value() ? known->find(piece.id.string()) : std::nullopt;
  if (!token.has_value()) {
    piece.id.expected("a token that special_tokens has");
  }
  std::vector<int32_t> ids;
  for (const JsonNode& id : token->get("ids").items()) {
    ids.push_back(id.token_id());
  }
  return ids;
}

// "single": the pieces around the text, which must be there once. "pair" is for two texts, which
// nothing here encodes; it must be well-formed all the same.
void append_template(const JsonNode& node, Affixes& affixes) {
  const JsonNode single = node.get("single");
  const std::optional<JsonNode> known = node.find("special_tokens");
  int texts = 0;
  for (const JsonNode& item : single.items()) {
    const TemplatePiece piece = read_piece(item);
    if (piece.is_token) {
      std::vector<int32_t>& side = texts == 0 ? affixes.prefix : affixes.suffix;
      const std::vector<int32_t> ids = token_ids(piece, known);
      side.insert(side.end(), ids.begin(), ids.end());
    } else if (piece.id.string() != "A") {
      piece.id.expected("the sequence A");
    } else {
      ++texts;
    }
  }
  if (texts != 1) {
    fail(Code::kBadFile, "{}: expected the sequence A once, found it {} times", single.where(),
         texts);
  }
  if (const std::optional<JsonNode> pair = node.find("pair")) {
    for (const JsonNode& item : pair->items()) {
      if (const TemplatePiece piece = read_piece(item); piece.is_token) {
        token_ids(piece, known);
      }
    }
  }
}

// ["[CLS]", 101]
int32_t read_named_id(const JsonNode& node) {
  const std::vector<JsonNode> pair = node.items();
  if (pair.size() != 2 || !pair[0].is_string()) {
    node.expected("a token and its id");
  }
  return pair[1].token_id();
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
    node.get("type").unsupported("no second post-processor that adds tokens");
  }
  if (type == "TemplateProcessing") {
    append_template(node, affixes);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    affixes.prefix.push_back(read_named_id(node.get("cls")));
    affixes.suffix.push_back(read_named_id(node.get("sep")));
  } else {
    node.get("type").unsupported("a known post-processor");
  }
}

}  // namespace

Affixes read_post_processor(const JsonNode& node) {
  Affixes affixes;
  append_post_processor(node, 0, affixes);
  return affixes;
}

}  // namespace invar

// Normalizers of tokenizer.json.
#include "core/error.h"
#include "text/base64.h"
#include "text/component_json.h"

namespace invar {
namespace {

void append(const JsonNode& node, int depth, std::vector<NormalizerStep>& steps) {
  const std::string_view type = node.get("type").string();
  if (type == "Sequence") {
    if (depth == kMaxComponentDepth) {
      node.expected("less nesting");
    }
    for (const JsonNode& inner : node.get("normalizers").items()) {
      append(inner, depth + 1, steps);
    }
  } else if (type == "NFC") {
    steps.emplace_back(ComposeStep{UnicodeForm::kNfc});
  } else if (type == "NFD") {
    steps.emplace_back(ComposeStep{UnicodeForm::kNfd});
  } else if (type == "NFKC") {
    steps.emplace_back(ComposeStep{UnicodeForm::kNfkc});
  } else if (type == "NFKD") {
    steps.emplace_back(ComposeStep{UnicodeForm::kNfkd});
  } else if (type == "Lowercase") {
    steps.emplace_back(LowercaseStep{});
  } else if (type == "StripAccents") {
    steps.emplace_back(StripAccentsStep{});
  } else if (type == "Nmt") {
    steps.emplace_back(NmtStep{});
  } else if (type == "ByteLevel") {
    steps.emplace_back(SpellBytesStep{});
  } else if (type == "Prepend") {
    steps.emplace_back(PrependStep{std::string(node.get("prepend").string())});
  } else if (type == "Replace") {
    steps.emplace_back(
        ReplaceStep{read_pattern(node.get("pattern")), std::string(node.get("content").string())});
  } else if (type == "Strip") {
    steps.emplace_back(
        StripStep{node.get("strip_left").boolean(), node.get("strip_right").boolean()});
  } else if (type == "BertNormalizer") {
    BertStep step;
    step.clean_text = node.boolean_or("clean_text", true);
    step.handle_chinese_chars = node.boolean_or("handle_chinese_chars", true);
    step.lowercase = node.boolean_or("lowercase", true);
    step.strip_accents = node.boolean_or("strip_accents", step.lowercase);
    steps.emplace_back(step);
  } else if (type == "Precompiled") {
    const JsonNode map = node.get("precompiled_charsmap");
    const std::optional<std::string> blob = decode_base64(map.string());
    if (!blob.has_value()) {
      map.expected("base64");
    }
    steps.emplace_back(
        PrecompiledStep{std::make_shared<const CharsMap>(CharsMap::parse(*blob, map.where()))});
  } else {
    node.get("type").unsupported("a known normalizer");
  }
}

}  // namespace

std::vector<NormalizerStep> read_normalizer(const JsonNode& node) {
  std::vector<NormalizerStep> steps;
  append(node, 0, steps);
  return steps;
}

Regex read_pattern(const JsonNode& node) {
  if (node.is_string()) {
    return Regex::literal(node.string(), node.where());
  }
  if (const std::optional<JsonNode> text = node.find("String")) {
    return Regex::literal(text->string(), text->where());
  }
  if (const std::optional<JsonNode> regex = node.find("Regex")) {
    return Regex::compile(regex->string(), regex->where());
  }
  node.expected("a pattern: String or Regex");
}

}  // namespace invar

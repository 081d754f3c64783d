// Pre-tokenizers of tokenizer.json.
#include <array>
#include <utility>

#include "core/error.h"
#include "text/char_class.h"
#include "text/component_json.h"
#include "text/utf8.h"

namespace invar {
namespace {

constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// \w+|[^\w\s]+ where \w also has other alphabetics and the joiners.
constexpr std::string_view kWhitespacePattern =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}]+)"
    R"(|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}\s]+)";

SplitBehavior read_behavior(const JsonNode& node) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, SplitBehavior>>({
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  });
  const std::string_view name = node.string();
  for (const auto& [known, behavior] : kNames) {
    if (known == name) {
      return behavior;
    }
  }
  node.unsupported("a known split behavior");
}

MetaspaceSplit read_metaspace(const JsonNode& node) {
  MetaspaceSplit step;
  append_utf8(node.get("replacement").character(), step.replacement);
  step.split = node.boolean_or("split", true);
  if (const std::optional<JsonNode> scheme = node.find("prepend_scheme")) {
    const std::string_view name = scheme->string();
    if (name == "always" || name == "first" || name == "never") {
      step.prepend_scheme = name == "always"  ? PrependScheme::kAlways
                            : name == "first" ? PrependScheme::kFirst
                                              : PrependScheme::kNever;
    } else {
      scheme->unsupported("a known prepend scheme");
    }
  }
  if (!node.boolean_or("add_prefix_space", true)) {
    if (node.find("prepend_scheme").has_value() && step.prepend_scheme != PrependScheme::kNever) {
      node.expected("a prepend_scheme that agrees with add_prefix_space");
    }
    step.prepend_scheme = PrependScheme::kNever;
  }
  return step;
}

void append_byte_level(const JsonNode& node, std::vector<PreTokenizerStep>& steps) {
  if (node.get("add_prefix_space").boolean()) {
    steps.emplace_back(PrefixSpace{});
  }
  if (node.boolean_or("use_regex", true)) {
    steps.emplace_back(PatternSplit{Regex::compile(kGpt2Pattern, node.where()), {}});
  }
  steps.emplace_back(SpellBytes{});
}

void append(const JsonNode& node, int depth, std::vector<PreTokenizerStep>& steps) {
  const std::string_view type = node.get("type").string();
  const SplitRule removed{SplitBehavior::kRemoved, false};
  if (type == "Sequence") {
    if (depth == kMaxComponentDepth) {
      node.expected("less nesting");
    }
    for (const JsonNode& inner : node.get("pretokenizers").items()) {
      append(inner, depth + 1, steps);
    }
  } else if (type == "ByteLevel") {
    append_byte_level(node, steps);
  } else if (type == "Split") {
    const SplitRule rule{read_behavior(node.get("behavior")), node.get("invert").boolean()};
    steps.emplace_back(PatternSplit{read_pattern(node.get("pattern")), rule});
  } else if (type == "Metaspace") {
    steps.emplace_back(read_metaspace(node));
  } else if (type == "Digits") {
    const bool single = node.get("individual_digits").boolean();
    steps.emplace_back(CharacterSplit{
        is_numeric, {single ? SplitBehavior::kIsolated : SplitBehavior::kContiguous, false}});
  } else if (type == "Punctuation") {
    const std::optional<JsonNode> behavior = node.find("behavior");
    const SplitBehavior kept =
        behavior.has_value() ? read_behavior(*behavior) : SplitBehavior::kIsolated;
    steps.emplace_back(CharacterSplit{is_punctuation, {kept, false}});
  } else if (type == "Whitespace") {
    const Regex words = Regex::compile(kWhitespacePattern, node.where());
    steps.emplace_back(PatternSplit{words, {SplitBehavior::kRemoved, true}});
  } else if (type == "WhitespaceSplit") {
    steps.emplace_back(CharacterSplit{is_whitespace, removed});
  } else if (type == "BertPreTokenizer") {
    steps.emplace_back(CharacterSplit{is_whitespace, removed});
    steps.emplace_back(CharacterSplit{is_punctuation, {SplitBehavior::kIsolated, false}});
  } else if (type == "CharDelimiterSplit" || type == "Delimiter") {
    steps.emplace_back(DelimiterSplit{node.get("delimiter").character()});
  } else if (type == "FixedLength") {
    const JsonNode length = node.get("length");
    if (length.integer() < 1) {
      length.expected("a positive length");
    }
    steps.emplace_back(FixedLengthSplit{static_cast<size_t>(length.integer())});
  } else {
    node.get("type").unsupported("a known pre-tokenizer");
  }
}

}  // namespace

std::vector<PreTokenizerStep> read_pre_tokenizer(const JsonNode& node) {
  std::vector<PreTokenizerStep> steps;
  append(node, 0, steps);
  return steps;
}

}  // namespace invar

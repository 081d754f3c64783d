// Decoders of tokenizer.json.
#include "core/error.h"
#include "text/component_json.h"
#include "text/utf8.h"

namespace invar {
namespace {

void append_decoder(const JsonNode& node, int depth, std::vector<DecodeStage>& stages) {
  const std::string_view type = node.get("type").string();
  if (type == "Sequence") {
    if (depth == kMaxComponentDepth) {
      node.expected("less nesting");
    }
    for (const JsonNode& inner : node.get("decoders").items()) {
      append_decoder(inner, depth + 1, stages);
    }
  } else if (type == "ByteLevel") {
    stages.emplace_back(ByteLevelDecode{});
  } else if (type == "ByteFallback") {
    stages.emplace_back(ByteFallbackDecode{});
  } else if (type == "Fuse") {
    stages.emplace_back(FuseDecode{});
  } else if (type == "Strip") {
    const JsonNode start = node.get("start");
    const JsonNode stop = node.get("stop");
    if (start.integer() < 0) {
      start.expected("a count");
    }
    if (stop.integer() < 0) {
      stop.expected("a count");
    }
    stages.emplace_back(StripDecode{node.get("content").character(),
                                    static_cast<size_t>(start.integer()),
                                    static_cast<size_t>(stop.integer())});
  } else if (type == "Replace") {
    stages.emplace_back(ReplaceDecode{read_pattern(node.get("pattern")),
                                      std::string(node.get("content").string())});
  } else if (type == "Metaspace") {
    MetaspaceDecode stage;
    append_utf8(node.get("replacement").character(), stage.replacement);
    stage.drop_first = node.string_or("prepend_scheme", "always") != "never" &&
                       node.boolean_or("add_prefix_space", true);
    stages.emplace_back(stage);
  } else if (type == "WordPiece") {
    stages.emplace_back(WordPieceDecode{std::string(node.string_or("prefix", "##")),
                                        node.boolean_or("cleanup", true)});
  } else if (type == "BPEDecoder") {
    stages.emplace_back(SuffixDecode{std::string(node.string_or("suffix", "</w>"))});
  } else {
    node.get("type").unsupported("a known decoder");
  }
}

}  // namespace

std::vector<DecodeStage> read_decoder(const JsonNode& node) {
  std::vector<DecodeStage> stages;
  append_decoder(node, 0, stages);
  return stages;
}

}  // namespace invar

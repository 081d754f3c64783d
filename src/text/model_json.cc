// Large vocabularies are read here: 10 MB of JSON are walked once, without copies but the tokens'.
#include "text/model_json.h"

#include "core/error.h"
#include "formats/printable.h"
#include "text/merge_builder.h"

namespace invar {
namespace {

std::string_view model_type(const JsonNode& node) {
  if (const std::optional<JsonNode> type = node.find("type")) {
    return type->string();
  }
  // Old files leave the type out.
  if (node.find("merges").has_value()) {
    return "BPE";
  }
  if (node.get("vocab").is_array()) {
    return "Unigram";
  }
  return node.find("max_input_chars_per_word").has_value() ? "WordPiece" : "WordLevel";
}

// "vocab" as an object of ids by token.
void read_vocabulary(const JsonNode& node, Vocabulary& vocabulary) {
  const simdjson::dom::object object = node.object();
  constexpr size_t kUsualTokenBytes = 8;
  vocabulary.reserve(object.size(), object.size() * kUsualTokenBytes);
  for (const simdjson::dom::key_value_pair field : object) {
    int64_t id = 0;
    if (field.value.get(id) != simdjson::SUCCESS || id < 0 || id >= Vocabulary::kMaxTokens) {
      fail(Code::kBadFile, "{}: token '{}': expected an id from 0 to {}, found {}", node.where(),
           printable(field.key), Vocabulary::kMaxTokens - 1, found_value(field.value));
    }
    const int32_t count = vocabulary.count();
    if (!vocabulary.add(static_cast<int32_t>(id), field.key) || vocabulary.count() == count) {
      const std::optional<int32_t> known = vocabulary.id_of(field.key);
      fail(Code::kBadFile, "{}: token '{}': expected a token and an id once each, found {}",
           node.where(), printable(field.key),
           known.has_value() ? fmt::format("it twice, with the ids {} and {}", *known, id)
                             : fmt::format("id {} given to '{}' as well", id,
                                           printable(*vocabulary.token(static_cast<int32_t>(id)))));
    }
  }
}

std::optional<int32_t> read_unk(const JsonNode& node, const Vocabulary& vocabulary) {
  const std::optional<JsonNode> unk = node.find("unk_token");
  if (!unk.has_value()) {
    return std::nullopt;
  }
  const std::optional<int32_t> id = vocabulary.id_of(unk->string());
  if (!id.has_value()) {
    unk->expected("a token of the vocabulary");
  }
  return id;
}

struct TokenPair {
  std::string_view left;
  std::string_view right;
};

// "left right" or ["left", "right"].
std::optional<TokenPair> read_pair(simdjson::dom::element element) {
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
      return std::nullopt;
    }
    return TokenPair{text.substr(0, space), text.substr(space + 1)};
  }
  simdjson::dom::array array;
  TokenPair pair;
  if (element.get(array) != simdjson::SUCCESS || array.size() != 2 ||
      array.at(0).get(pair.left) != simdjson::SUCCESS ||
      array.at(1).get(pair.right) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return pair;
}

MergeTable read_merges(const JsonNode& node, const Vocabulary& vocabulary,
                       std::string_view prefix) {
  const simdjson::dom::array array = node.array();
  size_t count = 0;  // size() saturates at 2^24 - 1
  for ([[maybe_unused]] const simdjson::dom::element element : array) {
    ++count;
  }
  MergeBuilder::Options options;
  options.count = count;
  options.continuation_prefix = prefix;
  options.where = node.where();
  MergeBuilder merges(vocabulary, options);
  size_t rank = 0;
  for (const simdjson::dom::element element : array) {
    const std::optional<TokenPair> pair = read_pair(element);
    if (!pair.has_value()) {
      fail(Code::kBadFile, "{}[{}]: expected two tokens, found {}", node.where(), rank,
           found_value(element));
    }
    merges.add(pair->left, pair->right);
    ++rank;
  }
  return merges.finish();
}

void read_bpe(const JsonNode& node, bool raw_bytes, TokenizerParts& parts) {
  if (const std::optional<JsonNode> dropout = node.find("dropout")) {
    if (dropout->number() != 0) {
      dropout->unsupported("0, since merging is never random");
    }
  }
  read_vocabulary(node.get("vocab"), parts.vocabulary);
  BpeOptions options;
  options.byte_level = raw_bytes;
  options.byte_fallback = node.boolean_or("byte_fallback", false);
  options.ignore_merges = node.boolean_or("ignore_merges", false);
  options.fuse_unk = node.boolean_or("fuse_unk", false);
  options.unk = read_unk(node, parts.vocabulary);
  options.continuing_subword_prefix = node.string_or("continuing_subword_prefix", "");
  options.end_of_word_suffix = node.string_or("end_of_word_suffix", "");
  MergeTable merges =
      read_merges(node.get("merges"), parts.vocabulary, options.continuing_subword_prefix);
  parts.model.emplace<Bpe>(parts.vocabulary, std::move(merges), options);
}

void read_unigram(const JsonNode& node, TokenizerParts& parts) {
  const JsonNode vocab = node.get("vocab");
  std::vector<double> scores;
  for (const simdjson::dom::element element : vocab.array()) {
    simdjson::dom::array pair;
    std::string_view token;
    double score = 0;
    if (element.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
        pair.at(0).get(token) != simdjson::SUCCESS || pair.at(1).get(score) != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}[{}]: expected a token and its score, found {}", vocab.where(),
           scores.size(), found_value(element));
    }
    if (scores.size() >= static_cast<size_t>(Vocabulary::kMaxTokens)) {
      fail(Code::kBadFile, "{}: expected at most {} tokens, found more", vocab.where(),
           Vocabulary::kMaxTokens);
    }
    const int32_t id = static_cast<int32_t>(scores.size());
    if (token.empty() || !parts.vocabulary.add(id, token)) {
      parts.vocabulary.add_unfindable(id, token);
    }
    scores.push_back(score);
  }
  UnigramOptions options;
  options.byte_fallback = node.boolean_or("byte_fallback", false);
  if (const std::optional<JsonNode> unk = node.find("unk_id")) {
    const int64_t id = unk->integer();
    if (id < 0 || id >= parts.vocabulary.size()) {
      unk->expected("an id of the vocabulary");
    }
    options.unk = static_cast<int32_t>(id);
  }
  parts.model.emplace<Unigram>(parts.vocabulary, std::move(scores), options);
}

void read_wordpiece(const JsonNode& node, TokenizerParts& parts) {
  read_vocabulary(node.get("vocab"), parts.vocabulary);
  WordPieceOptions options;
  options.unk = read_unk(node, parts.vocabulary);
  options.continuing_subword_prefix = node.string_or("continuing_subword_prefix", "##");
  if (const std::optional<JsonNode> longest = node.find("max_input_chars_per_word")) {
    constexpr int64_t kLongestWord = 10'000;  // encoding a word is quadratic in its length
    if (longest->integer() < 0 || longest->integer() > kLongestWord) {
      longest->expected("0 to 10000");
    }
    options.max_input_chars_per_word = static_cast<size_t>(longest->integer());
  }
  parts.model.emplace<WordPiece>(parts.vocabulary, options);
}

}  // namespace

bool takes_raw_bytes(const JsonNode& node) {
  return model_type(node) == "BPE" && !node.boolean_or("byte_fallback", false) &&
         node.string_or("continuing_subword_prefix", "").empty() &&
         node.string_or("end_of_word_suffix", "").empty();
}

void read_model(const JsonNode& node, bool raw_bytes, TokenizerParts& parts) {
  const std::string_view type = model_type(node);
  if (type == "BPE") {
    read_bpe(node, raw_bytes, parts);
  } else if (type == "Unigram") {
    read_unigram(node, parts);
  } else if (type == "WordPiece") {
    read_wordpiece(node, parts);
  } else if (type == "WordLevel") {
    read_vocabulary(node.get("vocab"), parts.vocabulary);
    const std::optional<int32_t> unk = read_unk(node, parts.vocabulary);
    parts.model.emplace<WordLevel>(parts.vocabulary, unk);
  } else {
    node.get("type").unsupported("a known model");
  }
}

}  // namespace invar

// Tokenizers from tokenizer.json, with the roles of special tokens from tokenizer_config.json and
// generation_config.json.
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/error.h"
#include "formats/json.h"
#include "formats/mapped_file.h"
#include "formats/printable.h"
#include "text/component_json.h"
#include "text/json_node.h"
#include "text/model_json.h"
#include "text/tokenizer_parts.h"
#include "text/utf8.h"

namespace invar {
namespace {

constexpr size_t kMaxFileBytes = size_t{512} << 20;
constexpr int kMaxJsonDepth = 64;

// Reads one file into parts.
class JsonReader {
 public:
  explicit JsonReader(const TokenizerJson& json)
      : json_(json), parts_(std::make_unique<TokenizerParts>()) {
    parts_->file = json.label;
  }

  Tokenizer run() {
    check_size();
    const simdjson::padded_string padded(json_.tokenizer);
    simdjson::dom::parser parser;
    const JsonNode root = parse(padded, parser);
    if (const auto node = root.find("normalizer")) {
      parts_->normalizer = read_normalizer(*node);
    }
    if (const auto node = root.find("pre_tokenizer")) {
      parts_->pre_tokenizer = read_pre_tokenizer(*node);
    }
    const JsonNode model = root.get("model");
    parts_->keeps_broken_bytes = spelled_last() && takes_raw_bytes(model);
    if (parts_->keeps_broken_bytes) {
      parts_->pre_tokenizer.pop_back();  // the model spells bytes itself
    }
    read_model(model, parts_->keeps_broken_bytes, *parts_);
    if (const auto node = root.find("added_tokens")) {
      read_added_tokens(*node);
    }
    if (const auto node = root.find("post_processor")) {
      Affixes affixes = read_post_processor(*node);
      parts_->prefix = std::move(affixes.prefix);
      parts_->suffix = std::move(affixes.suffix);
    }
    if (const auto node = root.find("decoder")) {
      parts_->decoder = TokenDecoder(read_decoder(*node));
    }
    read_roles(model);
    return Tokenizer(std::move(parts_));
  }

 private:
  // Before the text is copied.
  void check_size() const {
    if (json_.tokenizer.size() > kMaxFileBytes) {
      fail(Code::kBadFile, "{}: expected at most {} bytes, found {}", json_.label, kMaxFileBytes,
           json_.tokenizer.size());
    }
  }

  JsonNode parse(const simdjson::padded_string& padded, simdjson::dom::parser& parser) const {
    simdjson::error_code error = parser.allocate(padded.size(), kMaxJsonDepth);
    simdjson::dom::element element;
    if (error == simdjson::SUCCESS) {
      error = parser.parse(padded).get(element);
    }
    if (error != simdjson::SUCCESS) {
      refuse_json(json_.label, json_.tokenizer, simdjson::error_message(error),
                  {.bytes_max = kMaxFileBytes, .depth_max = kMaxJsonDepth});
    }
    return JsonNode(element, json_.label + ":");
  }

  // True if spelling bytes is the pre-tokenizer's last step and happens once.
  bool spelled_last() const {
    const auto spells = [](const PreTokenizerStep& step) {
      return std::holds_alternative<SpellBytes>(step);
    };
    const auto& steps = parts_->pre_tokenizer;
    const bool normalizer_spells = std::any_of(
        parts_->normalizer.begin(), parts_->normalizer.end(),
        [](const NormalizerStep& step) { return std::holds_alternative<SpellBytesStep>(step); });
    return !steps.empty() && spells(steps.back()) && !normalizer_spells &&
           std::count_if(steps.begin(), steps.end(), spells) == 1;
  }

  // A token that the model knows keeps the model's id; others follow the model's in order, whatever
  // id the file notes beside them, as the format's reference numbers them.
  void read_added_tokens(const JsonNode& node) {
    std::vector<AddedToken> tokens;
    std::unordered_map<std::string_view, size_t> by_content;
    int32_t next_id = parts_->vocabulary.count();
    for (const JsonNode& item : node.items()) {
      const std::string_view content = item.get("content").string();
      if (const std::optional<JsonNode> noted = item.find("id")) {
        noted->token_id();
      }
      if (content.empty()) {
        continue;
      }
      AddedToken token;
      token.content = content;
      token.single_word = item.boolean_or("single_word", false);
      token.lstrip = item.boolean_or("lstrip", false);
      token.rstrip = item.boolean_or("rstrip", false);
      token.special = item.boolean_or("special", false);
      token.normalized = item.boolean_or("normalized", !token.special);
      const auto [known, is_new] = by_content.try_emplace(content, tokens.size());
      if (!is_new) {
        token.id = tokens[known->second].id;
        tokens[known->second] = std::move(token);
        continue;
      }
      const std::optional<int32_t> id = parts_->vocabulary.id_of(content);
      token.id = id.has_value() ? *id : next_id++;
      tokens.push_back(std::move(token));
    }
    parts_->added = AddedTokens(std::move(tokens), parts_->normalizer, parts_->file);
  }

  std::optional<int32_t> id_of(std::string_view token) const {
    const AddedToken* added = parts_->added.find(token);
    return added != nullptr ? std::optional<int32_t>(added->id) : parts_->vocabulary.id_of(token);
  }

  // "bos_token": "<s>", or an object with the text in "content".
  std::optional<int32_t> role(const nlohmann::json& config, const char* key) const {
    if (!config.is_object() || !config.contains(key)) {
      return std::nullopt;
    }
    const nlohmann::json& value = config[key];
    const nlohmann::json& text =
        value.is_object() && value.contains("content") ? value["content"] : value;
    if (text.is_null()) {
      return std::nullopt;
    }
    if (!text.is_string()) {
      fail(Code::kBadFile, "{}: tokenizer_config.json: '{}': expected a token's text, found {}",
           json_.label, key, printable(text.dump()));
    }
    return id_of(text.get_ref<const std::string&>());
  }

  void read_roles(const JsonNode& model) {
    const nlohmann::json config =
        json_.config.empty() ? nlohmann::json()
                             : parse_json(json_.label + ": tokenizer_config.json", json_.config);
    parts_->special.bos = role(config, "bos_token");
    parts_->special.eos = role(config, "eos_token");
    parts_->special.unk = role(config, "unk_token");
    parts_->special.pad = role(config, "pad_token");
    if (!parts_->special.unk.has_value()) {
      if (const auto unk = model.find("unk_token")) {
        parts_->special.unk = id_of(unk->string());
      }
    }
    std::vector<int32_t> ends = known_end_tokens(parts_->added);
    if (parts_->special.eos.has_value()) {
      ends.push_back(*parts_->special.eos);
    }
    append_generation_ends(ends);
    set_end_of_generation(*parts_, std::move(ends));
  }

  // "eos_token_id": a number or a list of numbers.
  void append_generation_ends(std::vector<int32_t>& ends) const {
    if (json_.generation_config.empty()) {
      return;
    }
    const std::string label = json_.label + ": generation_config.json";
    const nlohmann::json config = parse_json(label, json_.generation_config);
    if (!config.is_object() || !config.contains("eos_token_id")) {
      return;
    }
    const nlohmann::json& value = config["eos_token_id"];
    const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
    for (const nlohmann::json& id : list) {
      if (id.is_null()) {
        continue;
      }
      if (!id.is_number_integer() || id.get<int64_t>() < 0 ||
          id.get<int64_t>() >= Vocabulary::kMaxTokens) {
        fail(Code::kBadFile, "{}: 'eos_token_id': expected token ids from 0 to {}, found {}", label,
             Vocabulary::kMaxTokens - 1, printable(id.dump()));
      }
      ends.push_back(id.get<int32_t>());
    }
  }

  const TokenizerJson& json_;
  std::unique_ptr<TokenizerParts> parts_;
};

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::optional<MappedFile> map_if_there(const std::filesystem::path& path) {
  std::error_code error;  // whatever it is, the file cannot be read
  return std::filesystem::exists(path, error) ? std::optional<MappedFile>(MappedFile(path))
                                              : std::nullopt;
}

}  // namespace

Tokenizer tokenizer_from_json_text(const TokenizerJson& json) {
  return JsonReader(json).run();
}

Tokenizer tokenizer_from_json(const std::filesystem::path& path) {
  std::error_code error;  // what cannot be asked about is opened as a file, which says why
  const bool is_folder = std::filesystem::is_directory(path, error);
  const std::filesystem::path folder = is_folder ? path : path.parent_path();
  const std::filesystem::path main = is_folder ? path / "tokenizer.json" : path;
  const MappedFile tokenizer(main);
  const std::optional<MappedFile> config = map_if_there(folder / "tokenizer_config.json");
  const std::optional<MappedFile> generation = map_if_there(folder / "generation_config.json");
  TokenizerJson json;
  json.label = main.string();
  json.tokenizer = text_of(tokenizer);
  json.config = config.has_value() ? text_of(*config) : "";
  json.generation_config = generation.has_value() ? text_of(*generation) : "";
  return tokenizer_from_json_text(json);
}

}  // namespace invar

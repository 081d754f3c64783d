// See model_text.h.
#include "text/model_text.h"

#include "core/error.h"
#include "formats/json.h"
#include "formats/mapped_file.h"

namespace invar {
namespace {

SpecialTokens special_tokens(const Tokenizer& tokenizer) {
  SpecialTokens tokens;
  const SpecialIds& ids = tokenizer.special_ids();
  const std::pair<const char*, std::optional<int32_t>> roles[] = {{"bos_token", ids.bos},
                                                                  {"eos_token", ids.eos},
                                                                  {"unk_token", ids.unk},
                                                                  {"pad_token", ids.pad}};
  for (const auto& [name, id] : roles) {
    const auto text = id ? tokenizer.token_text(*id) : std::nullopt;
    if (text) {
      tokens.emplace(name, *text);
    }
  }
  return tokens;
}

// tokenizer_config.json holds one template, or a list of named ones.
std::optional<std::string> template_of_config(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  const nlohmann::json config = read_json_file(path);
  const auto found = config.find("chat_template");
  if (found == config.end() || found->is_null()) {
    return std::nullopt;
  }
  if (found->is_string()) {
    return found->get<std::string>();
  }
  for (const nlohmann::json& named : found->is_array() ? *found : nlohmann::json::array()) {
    if (named.is_object() && named.value("name", "") == "default" &&
        named.value("template", nlohmann::json()).is_string()) {
      return named["template"].get<std::string>();
    }
  }
  fail(
      Code::kBadFile,
      "{}: key 'chat_template': expected a string or a list with a template named 'default', found "
      "{}",
      path.string(), found->type_name());
}

}  // namespace

std::optional<ChatTemplate> load_chat_template(const std::filesystem::path& path,
                                               const Tokenizer& tokenizer) {
  if (!std::filesystem::is_directory(path)) {
    const GgufFile file = GgufFile::open(path);
    const auto text = file.find_string("tokenizer.chat_template");
    if (!text) {
      return std::nullopt;
    }
    return ChatTemplate({.text = *text,
                         .name = path.filename().string() + ": tokenizer.chat_template",
                         .special_tokens = special_tokens(tokenizer)});
  }
  const std::filesystem::path jinja = path / "chat_template.jinja";
  if (std::filesystem::exists(jinja)) {
    const MappedFile file(jinja);
    return ChatTemplate(
        {.text = {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()},
         .name = jinja.string(),
         .special_tokens = special_tokens(tokenizer)});
  }
  const std::filesystem::path config = path / "tokenizer_config.json";
  const auto text = template_of_config(config);
  if (!text) {
    return std::nullopt;
  }
  return ChatTemplate({.text = *text,
                       .name = config.string() + ": chat_template",
                       .special_tokens = special_tokens(tokenizer)});
}

ModelText load_model_text(const std::filesystem::path& path) {
  Tokenizer tokenizer = std::filesystem::is_directory(path)
                            ? tokenizer_from_json(path)
                            : tokenizer_from_gguf(GgufFile::open(path));
  std::optional<ChatTemplate> chat_template = load_chat_template(path, tokenizer);
  return {.tokenizer = std::move(tokenizer), .chat_template = std::move(chat_template)};
}

}  // namespace invar

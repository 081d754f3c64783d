// The text half of a model: its tokenizer and, where it has one, its chat template.
#pragma once

#include <filesystem>
#include <optional>

#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace invar {

struct ModelText {
  Tokenizer tokenizer;
  std::optional<ChatTemplate> chat_template;
};

// `path`: a GGUF file (tokenizer.ggml.*, tokenizer.chat_template) or a Hugging Face folder
// (tokenizer.json; chat_template.jinja, or chat_template in tokenizer_config.json, of several the
// one named "default"). Errors name file and field.
ModelText load_model_text(const std::filesystem::path& path);

// The chat template alone; empty if the model has none.
std::optional<ChatTemplate> load_chat_template(const std::filesystem::path& path,
                                               const Tokenizer& tokenizer);

}  // namespace invar

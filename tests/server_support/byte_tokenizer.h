// A tokenizer of 256 ids for models without one, such as the golden ones: a token a byte, and three
// special tokens in the places of bytes that UTF-8 never uses.
#pragma once

#include <string>

#include "text/model_text.h"

namespace invar {

inline constexpr int32_t kByteVocabulary = 256;
inline constexpr int32_t kBosId = 1;  // "<s>"
inline constexpr int32_t kEosId = 2;  // "</s>"

// The id of a byte's token.
int32_t byte_id(char byte);

// The text of tokenizer.json, tokenizer_config.json and of a chat template for it, which writes
// "<s>ROLE: CONTENT" and a newline for each message, then "assistant:". It raises for messages with
// the content "raise".
std::string byte_tokenizer_json();
std::string byte_tokenizer_config();
std::string byte_chat_template();

ModelText make_byte_text();

}  // namespace invar

// Text of clients, on its way to token ids.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/api/api_context.h"
#include "text/tokenizer.h"

namespace invar {

// The bytes of text that are tokenized for a context of `context_positions`: 1 MiB, or 64 bytes a
// position if that is more. What is longer would fill a context many times over, and keep one of
// the text threads busy for seconds before that is known.
int64_t client_text_bytes_max(int64_t context_positions);

// `field` is what the client called the text. Error kBadArgument where it is too long.
std::vector<int32_t> encode_client_text(const ApiContext& context, std::string_view field,
                                        std::string_view text, EncodeOptions options);

}  // namespace invar

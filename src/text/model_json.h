// The "model" of tokenizer.json: vocabulary, merges or scores, and options.
#pragma once

#include "text/json_node.h"
#include "text/tokenizer_parts.h"

namespace invar {

// Fills parts.vocabulary and parts.model. `raw_bytes`: pieces come as bytes, not spelled in the
// byte alphabet; only asked of a model for which takes_raw_bytes() is true.
void read_model(const JsonNode& node, bool raw_bytes, TokenizerParts& parts);

// True if the model can take bytes as they are where its pieces would be spelled in the byte
// alphabet.
bool takes_raw_bytes(const JsonNode& node);

}  // namespace invar

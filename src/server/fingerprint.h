// What identifies the numbers behind an answer, for the API's `system_fingerprint`: the model, the
// policy it was loaded with and the version of the bitwise definitions. By the law, answers with
// equal fingerprints, prompts and parameters have equal bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "models/model.h"

namespace invar {

// A quick identity of a model's files, not a proof of their content: a GGUF file's header with all
// metadata, or config.json; and of every tensor the name, type, shape and first 4096 bytes (a
// fine-tuned sibling has the same header, but not these). Errors: those of the readers.
uint64_t model_digest(const std::filesystem::path& path);

// "m<model digest>-p<policy digest>-n<numerics version>". The policy: dtypes, context, and how many
// tokens a prompt and its answer can have together (fewer than the context's where the pool is
// small).
std::string system_fingerprint(uint64_t model_digest, const Model& model, int64_t positions_max);

}  // namespace invar

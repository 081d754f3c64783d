// A loaded model: program, weights and configuration, made from a GGUF file or a Hugging Face
// folder.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/thread_team.h"
#include "models/family.h"

namespace invar {

struct ModelOptions {
  std::optional<DType> dtype = {};     // compute dtype of dense matrices: f32 (default) or bf16
  std::optional<DType> kv_dtype = {};  // default: f16 for GGUF files, else the compute dtype
  int64_t context = 0;                 // positions; 0: the model's own limit, at most 8192
  bool metadata_only = false;          // for plans: no weight is read, no table filled
  int64_t memory_bytes = 0;            // what the model may take; 0: the machine's
  bool fuse = true;                    // false: the list as emitted, to compare with
};

// Owns everything the program refers to; immutable after loading, so any number of runners may
// share it. Move-free: other objects keep pointers into it.
struct Model {
  std::string name;  // the file's stem or the folder's name
  std::string family;
  ModelConfig config;
  NumericPolicy policy;
  int64_t context = 0;
  Program program;
  WeightMemory weights;
  int64_t weight_bytes = 0;
  ModelTables tables;
};

// Errors: kIo, kBadFile and kUnsupported, each naming file, field, expected and found; kExhausted
// before anything is made if weights, tables and the state of one sequence of the whole context are
// more than the memory. `team` packs weights and fills tables; `progress` may be empty.
std::unique_ptr<const Model> load_model(const std::filesystem::path& path,
                                        const ModelOptions& options, ThreadTeam& team,
                                        const LoadProgress& progress);

}  // namespace invar

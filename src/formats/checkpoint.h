// A Hugging Face model directory's weights: one safetensors file or several shards, as one table.
// What the tensors mean is not known here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors.h"

namespace invar {

// Pointers into a Checkpoint, valid as long as it lives.
struct CheckpointTensor {
  const TensorEntry* entry = nullptr;
  const SafetensorsFile* file = nullptr;  // for messages and drop_pages
};

// Move-only; const methods may be called from any thread.
class Checkpoint {
 public:
  // Opens, in this order: model.safetensors; the shards that model.safetensors.index.json names;
  // all *.safetensors of the directory. Error kBadFile if there is none, if a name stands in two
  // shards, or if the index names a missing file or tensor or a file outside the directory, or does
  // not name every tensor of its files.
  static Checkpoint open(const std::filesystem::path& directory);

  const std::filesystem::path& directory() const { return directory_; }
  const std::vector<SafetensorsFile>& files() const { return files_; }
  // Sorted by name.
  const std::vector<CheckpointTensor>& tensors() const { return tensors_; }
  // Null if there is no tensor of this name.
  [[nodiscard]] const CheckpointTensor* find(std::string_view name) const;

 private:
  Checkpoint() = default;
  void collect_tensors();

  std::filesystem::path directory_;
  std::vector<SafetensorsFile> files_;  // never resized after tensors_ points into it
  std::vector<CheckpointTensor> tensors_;
};

}  // namespace invar

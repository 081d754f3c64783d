// Test support: a golden checkpoint with other tensor names, as makers publish them.
#pragma once

#include <string>
#include <vector>

#include "models/golden_model.h"

namespace invar {

// A folder with the golden configuration and these tensors.
class CheckpointFolder {
 public:
  CheckpointFolder(const std::string& family, const std::vector<SafetensorsSpec>& tensors)
      : config(read_json_file(golden_folder(family) / "config.json")) {
    write_safetensors(directory_.path(), tensors);
  }
  const std::filesystem::path& save() {
    directory_.write("config.json", config.dump());
    return directory_.path();
  }

  nlohmann::json config;

 private:
  TemporaryDirectory directory_;
};

// Every occurrence of `from` in a tensor's name.
inline void rename_all(std::vector<SafetensorsSpec>& tensors, const std::string& from,
                       const std::string& to) {
  for (SafetensorsSpec& tensor : tensors) {
    if (const size_t at = tensor.name.find(from); at != std::string::npos) {
      tensor.name.replace(at, from.size(), to);
    }
  }
}

}  // namespace invar

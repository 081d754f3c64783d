// Test support: bytes of small tensors, and Hugging Face folders that hold them.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/error.h"

namespace invar {

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
inline std::string f32_bytes(const std::vector<float>& values) {
  return bytes_of_values(values);
}
inline std::string bf16_bytes(const std::vector<float>& values) {
  std::vector<uint16_t> halves;
  for (const float value : values) {
    halves.push_back(f32_to_bf16(value));
  }
  return bytes_of_values(halves);
}
inline std::string f16_bytes(const std::vector<float>& values) {
  std::vector<uint16_t> halves;
  for (const float value : values) {
    halves.push_back(f32_to_f16(value));
  }
  return bytes_of_values(halves);
}

// first, first + 1, ...: small whole numbers, exact in every float type.
inline std::vector<float> counted(int64_t count, float first = 0) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = first + static_cast<float>(i % 251);
  }
  return values;
}

struct SafetensorsSpec {
  std::string name;
  std::string dtype;  // "F32", "BF16", ...
  std::vector<int64_t> shape;
  std::string data;
};

// Writes DIRECTORY/model.safetensors.
inline void write_safetensors(const std::filesystem::path& directory,
                              const std::vector<SafetensorsSpec>& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (const SafetensorsSpec& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {data.size(), data.size() + tensor.data.size()}}};
    data += tensor.data;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  std::ofstream file(directory / "model.safetensors", std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), 8);
  file << text << data;
  file.close();
  INVAR_CHECK(file.good());
}

}  // namespace invar

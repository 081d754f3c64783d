// Test support: tensors in a GGUF file in memory, as a source of weights.
#pragma once

#include <optional>
#include <string>

#include "formats/gguf_writer.h"
#include "weights/tensor_bytes.h"
#include "weights/weight_store.h"

namespace invar {

// Add tensors, then call store(). Not movable: the source points into it.
class SmallGguf {
 public:
  SmallGguf() { writer_.add_string("general.architecture", "llama"); }
  SmallGguf(const SmallGguf&) = delete;
  SmallGguf& operator=(const SmallGguf&) = delete;

  void add(const std::string& name, GgmlType type, std::vector<int64_t> shape, std::string data) {
    writer_.add_tensor(
        {.name = name, .type = type, .shape = std::move(shape), .data = std::move(data)});
  }
  void add_f32(const std::string& name, std::vector<int64_t> shape, float first) {
    int64_t count = 1;
    for (const int64_t size : shape) {
      count *= size;
    }
    add(name, GgmlType::kF32, std::move(shape), f32_bytes(counted(count, first)));
  }

  WeightStore& store(WeightStore::Options options = {}) {
    bytes_ = writer_.build();
    file_.emplace(GgufFile::parse("m.gguf", bytes_of(bytes_)));
    source_.emplace(*file_);
    store_.emplace(*source_, memory, options);
    return *store_;
  }

  WeightMemory memory;

 private:
  GgufWriter writer_;
  std::string bytes_;
  std::optional<GgufFile> file_;
  std::optional<TensorSource> source_;
  std::optional<WeightStore> store_;
};

// All rows of a packed matrix, unpacked.
inline std::vector<float> unpacked(const PackedMatrix& matrix) {
  std::vector<float> values(matrix.rows * matrix.columns);
  for (int64_t row = 0; row < matrix.rows; ++row) {
    weight_format_info(matrix.format).unpack_row(matrix, row, values.data() + row * matrix.columns);
  }
  return values;
}

inline std::vector<float> values_of(const TensorView& vector) {
  return {vector.row<float>(0), vector.row<float>(0) + vector.columns};
}

inline std::vector<float> joined(std::vector<float> a, const std::vector<float>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace invar

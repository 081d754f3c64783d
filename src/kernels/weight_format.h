// How weight matrices are stored for compute: "panels" of 16 output rows, so that a vector lane is
// an output row, each output is one accumulator chain, and a panel is read front to back.
//
// Panel layouts are defined in docs/numerics.md and kernels/panel/<format>.h. A format never
// expands: a packed matrix is at most 3 % larger than its GGUF or safetensors form (rows are padded
// to a multiple of 16 with zeros).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace invar {

inline constexpr int64_t kPanelRows = 16;

enum class WeightFormat : uint8_t {
  kF32,
  kF16,
  kBF16,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kMXFP4,
};
inline constexpr int kWeightFormatCount = 12;

// A packed matrix W [rows, columns], used as y = x W^T. Does not own its data, which is
// panels x panel_bytes, one panel directly after the other, the first 64-byte aligned.
struct PackedMatrix {
  WeightFormat format = WeightFormat::kF32;
  int64_t rows = 0;     // output features, N
  int64_t columns = 0;  // input features, K
  const std::byte* data = nullptr;

  int64_t panels() const { return (rows + kPanelRows - 1) / kPanelRows; }
};

// One row of the table of formats: everything about a format that is not a compute kernel.
struct WeightFormatInfo {
  WeightFormat format;
  std::string_view name;      // GGUF's name, as in "Q4_1"
  uint32_t ggml_type;         // GGUF's tensor type id
  int64_t group_columns;      // columns must be a multiple of this
  int64_t group_bytes;        // bytes of one group of one row in the file
  bool quantized;             // quantized formats take kQ8Row activations, others f32 or bf16
  int64_t panel_group_bytes;  // bytes of one group of 16 rows when packed

  // Packs rows [0, 16) given as pointers to their first file byte; a null pointer is a zero row.
  // `destination` is one panel: columns / group_columns * panel_group_bytes bytes.
  void (*pack_panel)(std::span<const std::byte* const, kPanelRows> source, int64_t columns,
                     std::byte* destination);
  // Writes row `row` (of the whole matrix) as `columns` f32 values: exactly the value that the
  // file's format defines, computed in f32 in the order that docs/numerics.md gives.
  void (*unpack_row)(const PackedMatrix& matrix, int64_t row, float* destination);
};

std::span<const WeightFormatInfo> weight_formats();
const WeightFormatInfo& weight_format_info(WeightFormat format);
// Null where this program does not compute with the type.
const WeightFormatInfo* find_weight_format(uint32_t ggml_type);

int64_t panel_bytes(WeightFormat format, int64_t columns);
int64_t packed_bytes(WeightFormat format, int64_t rows, int64_t columns);

}  // namespace invar

// The table of weight formats and the sizes that follow from it.
#include "kernels/weight_format.h"

#include <array>

#include "core/error.h"
#include "kernels/panel/dense.h"
#include "kernels/panel/mxfp4.h"
#include "kernels/panel/q4_0.h"
#include "kernels/panel/q4_1.h"
#include "kernels/panel/q4_k.h"
#include "kernels/panel/q5_0.h"
#include "kernels/panel/q5_1.h"
#include "kernels/panel/q5_k.h"
#include "kernels/panel/q6_k.h"
#include "kernels/panel/q8_0.h"

namespace invar {
namespace {

constexpr std::array<WeightFormatInfo, kWeightFormatCount> kFormats = {{
    {.format = WeightFormat::kF32,
     .name = "F32",
     .ggml_type = 0,
     .group_columns = 1,
     .group_bytes = 4,
     .quantized = false,
     .panel_group_bytes = 64,
     .pack_panel = panel::pack_f32,
     .unpack_row = panel::unpack_f32},
    {.format = WeightFormat::kF16,
     .name = "F16",
     .ggml_type = 1,
     .group_columns = 1,
     .group_bytes = 2,
     .quantized = false,
     .panel_group_bytes = 32,
     .pack_panel = panel::pack_f16,
     .unpack_row = panel::unpack_f16},
    {.format = WeightFormat::kBF16,
     .name = "BF16",
     .ggml_type = 30,
     .group_columns = 1,
     .group_bytes = 2,
     .quantized = false,
     .panel_group_bytes = 32,
     .pack_panel = panel::pack_f16,
     .unpack_row = panel::unpack_bf16},
    {.format = WeightFormat::kQ4_0,
     .name = "Q4_0",
     .ggml_type = 2,
     .group_columns = 32,
     .group_bytes = panel::Q4_0::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q4_0::kBytes,
     .pack_panel = panel::pack_q4_0,
     .unpack_row = panel::unpack_q4_0},
    {.format = WeightFormat::kQ4_1,
     .name = "Q4_1",
     .ggml_type = 3,
     .group_columns = 32,
     .group_bytes = panel::Q4_1::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q4_1::kBytes,
     .pack_panel = panel::pack_q4_1,
     .unpack_row = panel::unpack_q4_1},
    {.format = WeightFormat::kQ5_0,
     .name = "Q5_0",
     .ggml_type = 6,
     .group_columns = 32,
     .group_bytes = panel::Q5_0::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q5_0::kBytes,
     .pack_panel = panel::pack_q5_0,
     .unpack_row = panel::unpack_q5_0},
    {.format = WeightFormat::kQ5_1,
     .name = "Q5_1",
     .ggml_type = 7,
     .group_columns = 32,
     .group_bytes = panel::Q5_1::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q5_1::kBytes,
     .pack_panel = panel::pack_q5_1,
     .unpack_row = panel::unpack_q5_1},
    {.format = WeightFormat::kQ8_0,
     .name = "Q8_0",
     .ggml_type = 8,
     .group_columns = 32,
     .group_bytes = panel::Q8_0::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q8_0::kBytes,
     .pack_panel = panel::pack_q8_0,
     .unpack_row = panel::unpack_q8_0},
    {.format = WeightFormat::kQ4_K,
     .name = "Q4_K",
     .ggml_type = 12,
     .group_columns = 256,
     .group_bytes = panel::Q4_K::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q4_K::kBytes,
     .pack_panel = panel::pack_q4_k,
     .unpack_row = panel::unpack_q4_k},
    {.format = WeightFormat::kQ5_K,
     .name = "Q5_K",
     .ggml_type = 13,
     .group_columns = 256,
     .group_bytes = panel::Q5_K::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q5_K::kBytes,
     .pack_panel = panel::pack_q5_k,
     .unpack_row = panel::unpack_q5_k},
    {.format = WeightFormat::kQ6_K,
     .name = "Q6_K",
     .ggml_type = 14,
     .group_columns = 256,
     .group_bytes = panel::Q6_K::kFileBytes,
     .quantized = true,
     .panel_group_bytes = panel::Q6_K::kBytes,
     .pack_panel = panel::pack_q6_k,
     .unpack_row = panel::unpack_q6_k},
    {.format = WeightFormat::kMXFP4,
     .name = "MXFP4",
     .ggml_type = 39,
     .group_columns = 32,
     .group_bytes = panel::Mxfp4::kFileBytes,
     .quantized = false,
     .panel_group_bytes = panel::Mxfp4::kBytes,
     .pack_panel = panel::pack_mxfp4,
     .unpack_row = panel::unpack_mxfp4},
}};

}  // namespace

std::span<const WeightFormatInfo> weight_formats() {
  return kFormats;
}

const WeightFormatInfo& weight_format_info(WeightFormat format) {
  const auto index = static_cast<size_t>(format);
  INVAR_CHECK(index < kFormats.size(), "format {}", index);
  return kFormats[index];
}

const WeightFormatInfo* find_weight_format(uint32_t ggml_type) {
  for (const WeightFormatInfo& info : kFormats) {
    if (info.ggml_type == ggml_type) {
      return &info;
    }
  }
  return nullptr;
}

int64_t panel_bytes(WeightFormat format, int64_t columns) {
  const WeightFormatInfo& info = weight_format_info(format);
  INVAR_CHECK(columns % info.group_columns == 0, "{}: columns {}", info.name, columns);
  return columns / info.group_columns * info.panel_group_bytes;
}

int64_t packed_bytes(WeightFormat format, int64_t rows, int64_t columns) {
  return (rows + kPanelRows - 1) / kPanelRows * panel_bytes(format, columns);
}

}  // namespace invar

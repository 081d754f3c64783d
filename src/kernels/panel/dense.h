// Panels of plain floats (F32, F16, BF16): [K][16] values as the file stores them, column after
// column, one lane an output row.
#pragma once

#include "kernels/panel/panel_io.h"

namespace invar::panel {

void pack_f32(SourceRows source, int64_t columns, std::byte* destination);
// F16 and BF16.
void pack_f16(SourceRows source, int64_t columns, std::byte* destination);

void unpack_f32(const PackedMatrix& matrix, int64_t row, float* destination);
void unpack_f16(const PackedMatrix& matrix, int64_t row, float* destination);
void unpack_bf16(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel

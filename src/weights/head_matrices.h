// Matrices of a layer's heads, cut out of one stored matrix: what absorbed latent attention
// multiplies by (kv_b_proj's keys, transposed, and its values). Elements are moved, never rounded.
#pragma once

#include <cstdint>
#include <string>

#include "core/thread_team.h"
#include "kernels/weight_format.h"
#include "weights/tensor_source.h"

namespace invar {

// The tensor is [heads * head_rows, columns]; of each head, rows [first_row, first_row + rows).
struct HeadMatricesRequest {
  std::string name;
  int64_t heads = 0;
  int64_t head_rows = 0;
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  bool transposed = false;

  // Of one head's matrix, once cut (and transposed).
  int64_t outputs() const { return transposed ? columns : rows; }
  int64_t inputs() const { return transposed ? rows : columns; }
  // Outputs and zero rows to a whole number of panels.
  int64_t padded_outputs() const { return (outputs() + kPanelRows - 1) / kPanelRows * kPanelRows; }
};

// Packs head after head into `destination`. The tensor is F32, F16 or BF16, of the request's shape.
void pack_head_matrices(const SourceTensor& tensor, const HeadMatricesRequest& request,
                        WeightFormat format, std::byte* destination, ThreadTeam& team);

}  // namespace invar

// See head_matrices.h.
#include "weights/head_matrices.h"

#include <array>
#include <cstring>
#include <vector>

namespace invar {
namespace {

// Column `column` of one head's rows, side by side.
void gather_column(const std::byte* first_row, int64_t column, const HeadMatricesRequest& request,
                   int64_t element_bytes, std::byte* destination) {
  const int64_t row_bytes = request.columns * element_bytes;
  for (int64_t row = 0; row < request.rows; ++row) {
    std::memcpy(destination + row * element_bytes,
                first_row + row * row_bytes + column * element_bytes,
                static_cast<size_t>(element_bytes));
  }
}

}  // namespace

void pack_head_matrices(const SourceTensor& tensor, const HeadMatricesRequest& request,
                        WeightFormat format, std::byte* destination, ThreadTeam& team) {
  const WeightFormatInfo& info = weight_format_info(format);
  const int64_t head_panels = request.padded_outputs() / kPanelRows;
  const int64_t panels = request.heads * head_panels;
  const int64_t one_panel = panel_bytes(format, request.inputs());
  const int64_t input_bytes = request.inputs() * info.group_bytes;
  const int64_t stored_row_bytes = request.columns * info.group_bytes;
  // Rows of a panel that do not lie in the file as they are needed, for each lane.
  std::vector<std::byte> gathered(team.lanes() * kPanelRows * input_bytes);

  team.run([&](int lane) {
    std::byte* lane_rows = gathered.data() + lane * kPanelRows * input_bytes;
    const int64_t end = panels * (lane + 1) / team.lanes();
    for (int64_t panel = panels * lane / team.lanes(); panel < end; ++panel) {
      const int64_t head = panel / head_panels;
      const std::byte* first_row =
          tensor.data.data() + (head * request.head_rows + request.first_row) * stored_row_bytes;
      std::array<const std::byte*, kPanelRows> rows{};
      for (int64_t i = 0; i < kPanelRows; ++i) {
        const int64_t output = panel % head_panels * kPanelRows + i;
        if (output >= request.outputs()) {
          continue;  // a zero row
        }
        if (request.transposed) {
          gather_column(first_row, output, request, info.group_bytes, lane_rows + i * input_bytes);
          rows[i] = lane_rows + i * input_bytes;
        } else {
          rows[i] = first_row + output * stored_row_bytes;
        }
      }
      info.pack_panel(rows, request.inputs(), destination + panel * one_panel);
    }
  });
}

}  // namespace invar

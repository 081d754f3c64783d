// See pretended_pass.h.
#include "program/pretended_pass.h"

#include <numeric>

namespace invar {
namespace {

PassLimits limits_of(int64_t rows, int64_t first_position) {
  return {.rows_max = rows,
          .segments_max = 1,
          .logit_rows_max = 1,
          .kv_blocks_max = (first_position + rows + kKvBlockRows - 1) / kKvBlockRows};
}

PassTables describe_pass(int64_t rows, int64_t first_position) {
  PassTables tables(limits_of(rows, first_position));
  const std::vector<int32_t> ids(rows, 0);
  std::vector<int32_t> kv_block_ids(tables.limits().kv_blocks_max);
  std::iota(kv_block_ids.begin(), kv_block_ids.end(), 0);
  // Recurrent layers: pages and row_blocks that are not there.
  std::vector<int32_t> chunk_ids(tables.limits().chunk_entries_max(), 0);
  std::vector<int32_t> page_ids = chunk_ids;
  page_ids.front() = first_position < kChunkRows ? -1 : 0;
  tables.add({.token_ids = ids,
              .first_position = first_position,
              .kv_blocks = kv_block_ids,
              .state_pages = page_ids,
              .row_blocks = chunk_ids,
              .logit_rows = 1});
  return tables;
}

std::vector<TensorView> state_views(const Program& program, std::byte* unread) {
  std::vector<TensorView> views;
  for (const StateBufferInfo& info : program.state_buffers) {
    views.push_back(dense_view(unread, info.dtype, 1, info.columns));
  }
  return views;
}

}  // namespace

PretendedPass::PretendedPass(const Program& program, int64_t rows, int64_t first_position)
    : program_(program),
      tables_(describe_pass(rows, first_position)),
      arena_(plan_arena(program, tables_.limits())),
      states_(state_views(program, unread_)),
      binding_({.program = &program,
                .arena_plan = &arena_,
                .arena = unread_,
                .state_buffers = &states_,
                .tables = &tables_}) {}

Cost PretendedPass::cost() const {
  Cost total;
  for (const auto& node : program_.nodes) {
    total += node->cost(binding_);
  }
  return total;
}

}  // namespace invar

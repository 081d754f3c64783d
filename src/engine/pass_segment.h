// A sequence's next rows as a segment of the pass tables: the one place where state becomes table
// entries.
#pragma once

#include <cstdint>
#include <span>

#include "cache/sequence_state.h"
#include "program/pass_tables.h"

namespace invar {

// `token_ids`: the next rows, which `state` has prepared. Valid until the state changes.
inline PassSegment pass_segment(const SequenceState& state, std::span<const int32_t> token_ids,
                                int64_t logit_rows) {
  const SequenceState::Pass pass = state.pass(std::ssize(token_ids));
  return {.token_ids = token_ids,
          .first_position = pass.first_position,
          .kv_blocks = pass.kv_blocks,
          .state_pages = pass.state_pages,
          .row_blocks = pass.row_blocks,
          .kv_write_from = pass.kv_write_from,
          .logit_rows = logit_rows};
}

}  // namespace invar

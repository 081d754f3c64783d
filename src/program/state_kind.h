// State kinds as data: what a sequence must keep from pass to pass, so that one interface can
// allocate, truncate, fork and snapshot all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace invar {

// One buffer of a paged state: `bytes_per_kv_block` bytes for each kv_block of 64 positions.
struct StateBufferInfo {
  std::string name;  // for example "layer 3 keys"
  DType dtype = DType::kF32;
  int64_t columns = 0;  // elements of one kv_block

  int64_t bytes_per_kv_block() const { return row_bytes(dtype, columns); }
};

// A paged state kind. All of its buffers are indexed by the same kv_block ids.
struct PagedStateKind {
  std::string name;
  std::vector<int32_t> buffers;  // indexes into Program::state_buffers()
};

}  // namespace invar

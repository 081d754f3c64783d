// State kinds as data: what a sequence must keep from pass to pass, so that one interface can
// allocate, truncate, fork and snapshot all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/state_unit.h"

namespace invar {

// One buffer of a state kind.
struct StateBufferInfo {
  std::string name;  // for example "layer 3 keys"
  DType dtype = DType::kF32;
  int64_t columns = 0;  // elements of one unit
  StateUnit unit = StateUnit::kKvBlock;

  int64_t bytes_per_unit() const { return row_bytes(dtype, columns); }
};

// A state kind: "kv" (paged rows) or "recurrent" (state pages with pending rows). All buffers of
// one unit are indexed by the same ids, whatever their layer.
struct StateKind {
  std::string name;
  std::vector<int32_t> buffers;  // indexes into Program::state_buffers
};

}  // namespace invar

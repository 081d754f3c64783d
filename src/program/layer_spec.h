// What a layer needs and what it cannot do, derived from the ops that it emitted, so that it cannot
// disagree with them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace invar {

inline constexpr int64_t kNoPositionLimit = std::numeric_limits<int64_t>::max();

// Something that a layer's state or ops cannot do, and why; the engine declines it with this text.
struct Restriction {
  int layer = -1;
  std::string text;
};

struct LayerSpec {
  int layer = -1;                        // -1: ops outside any layer (embedding, head)
  std::vector<std::string> state_kinds;  // names of the states it reads and writes
  int64_t state_bytes_per_position = 0;  // of paged states
  int64_t state_page_bytes = 0;          // of one state page, where there is recurrent state
  int64_t row_block_bytes = 0;           // of the pending rows of one chunk
  int64_t weight_bytes = 0;
  int64_t positions_max = kNoPositionLimit;  // positions that its tables cover
  std::vector<Restriction> restrictions;
};

// The model's spec: kinds united, sizes added, limits at their smallest, restrictions collected.
LayerSpec merge_layer_specs(std::span<const LayerSpec> layers);

}  // namespace invar

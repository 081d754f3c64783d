// Merging of layer specs.
#include "program/layer_spec.h"

#include <algorithm>

namespace invar {

LayerSpec merge_layer_specs(std::span<const LayerSpec> layers) {
  LayerSpec merged;
  for (const LayerSpec& layer : layers) {
    for (const std::string& kind : layer.state_kinds) {
      if (std::find(merged.state_kinds.begin(), merged.state_kinds.end(), kind) ==
          merged.state_kinds.end()) {
        merged.state_kinds.push_back(kind);
      }
    }
    merged.state_bytes_per_position += layer.state_bytes_per_position;
    merged.state_page_bytes += layer.state_page_bytes;
    merged.row_block_bytes += layer.row_block_bytes;
    merged.weight_bytes += layer.weight_bytes;
    merged.positions_max = std::min(merged.positions_max, layer.positions_max);
    merged.restrictions.insert(merged.restrictions.end(), layer.restrictions.begin(),
                               layer.restrictions.end());
  }
  return merged;
}

}  // namespace invar

// Whether a checkpoint's packed tensors are those that its quantization_config speaks of.
#pragma once

#include <optional>
#include <string>

#include "config/quantization_config.h"
#include "weights/tensor_source.h"

namespace invar {

// Of safetensors files; `label` is the configuration's. Error kBadFile, naming tensors and key:
// packed tensors without a configuration, a configuration without packed tensors, packed tensors of
// modules that it lists as not packed. A module that it does not list may be stored plain:
// published files do so.
void check_packed_tensors(const TensorSource& source,
                          const std::optional<QuantizationConfig>& config,
                          const std::string& label);

}  // namespace invar

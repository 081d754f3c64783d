// `quantization_config` of a configuration: says how a checkpoint's packed weights were made. The
// tensors themselves tell which are packed; this says whether they mean what we compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config_reader.h"

namespace invar {

// MXFP4: groups of 32 columns with an E8M0 scale each.
struct QuantizationConfig {
  std::string place;  // where it stands, for messages
  // Modules that are not packed: names, or "re:" and a regular expression that matches from a
  // name's beginning.
  std::vector<std::string> ignored;
};

// Reads the key where it is present. The one scheme that is understood is compressed-tensors'
// MXFP4 ("mxfp4-pack-quantized", activations as they are); kUnsupported names whatever differs from
// it, unknown keys included, and kBadFile a part of it that is missing.
std::optional<QuantizationConfig> read_quantization_config(ConfigReader& reader);

}  // namespace invar

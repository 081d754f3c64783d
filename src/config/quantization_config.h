// `quantization_config` of a configuration: says how a checkpoint's packed weights were made. The
// tensors themselves tell which are packed; this says whether they mean what we compute.
#pragma once

#include "config/config_reader.h"

namespace invar {

// Reads the key where it is present. The one scheme that is understood is compressed-tensors'
// MXFP4 ("mxfp4-pack-quantized": groups of 32 with E8M0 scales, activations as they are);
// kUnsupported names whatever differs from it, unknown keys included.
void require_known_quantization(ConfigReader& reader);

}  // namespace invar

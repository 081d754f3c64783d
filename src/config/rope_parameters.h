// Rotary position embedding as a configuration says it: base, width and scaling.
#pragma once

#include <cstdint>
#include <string>

#include "config/config_reader.h"

namespace invar {

enum class RopeScaling {
  kNone,
  kLlama3,  // frequencies divided by `factor` below one wavelength, kept above another, blended
};

struct RopeParameters {
  double rope_theta = 10000.0;
  double partial_rotary_factor = 1.0;  // the part of each head's columns that rotates
  RopeScaling scaling = RopeScaling::kNone;
  double factor = 1.0;
  double low_freq_factor = 1.0;
  double high_freq_factor = 4.0;
  double original_max_position_embeddings = 8192;
};

// Config.json: `rope_parameters`, or the older `rope_theta` with `rope_scaling`. GGUF:
// rope.freq_base (a scaled GGUF carries its scaling as the tensor rope_freqs.weight, which weights/
// reads). Another scaling is kUnsupported by name.
RopeParameters read_rope_parameters(ConfigReader& reader);

}  // namespace invar

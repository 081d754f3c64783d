// Rotary position embedding as a configuration says it: base, width and scaling.
#pragma once

#include <array>
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
  // Interleaved MRoPE: how many pairs of a head the time, the height and the width of a position
  // turn (backend/ops/rope.h); all 0: a position is one number.
  std::array<int64_t, 3> sections = {};
};

// Config.json: `rope_parameters`, or the older `rope_theta` with `rope_scaling`. GGUF:
// rope.freq_base (a scaled GGUF carries its scaling as the tensor rope_freqs.weight, which weights/
// reads). Another scaling is kUnsupported by name, and so are sections that are not interleaved.
// `defaults` says what keys mean that config.json leaves out; a GGUF file has the same for all
// families, RopeParameters{}.
RopeParameters read_rope_parameters(ConfigReader& reader, const RopeParameters& defaults = {});

// GGUF's rope.dimension_sections, if it is there: a file does not say how its sections are laid
// out, so only families whose architecture interleaves them ask for it.
void read_gguf_sections(ConfigReader& reader, RopeParameters& rope);

// kBadFile unless there are no sections or they fit so many columns.
void check_sections(const ConfigReader& reader, const RopeParameters& rope, int64_t rotary_columns);

}  // namespace invar

// One row of every weight format as a file stores it, and the values that it stands for, from an
// independent implementation of the formats (tools/make_known_rows.py).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/weight_format.h"

namespace invar {

struct KnownRow {
  WeightFormat format;
  std::span<const uint8_t> bytes;
  std::span<const float> values;
};

std::span<const KnownRow> known_rows();

}  // namespace invar

// Qwen3.5 (dense text part): three Gated DeltaNet layers to one of gated attention.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen35;

}  // namespace invar

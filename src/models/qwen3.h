// Qwen3 (dense): per-head RMS norm on q and k before rope.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen3;

}  // namespace invar

// Mamba-2: selective state space layers alone, no attention and no feed-forward.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kMamba2;

}  // namespace invar

// Kimi Linear: three layers of Kimi Delta Attention to one of latent attention without positions.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kKimiLinear;

}  // namespace invar

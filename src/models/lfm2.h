// LFM2 (dense): short convolutions and grouped-query attention in turn.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kLfm2;

}  // namespace invar

// Qwen3 with experts: attention as in Qwen3, a mixture of experts in place of most feed-forwards.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen3Moe;

}  // namespace invar

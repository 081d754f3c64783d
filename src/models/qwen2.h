// Qwen2 and Qwen2.5 (dense): q, k and v have biases.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen2;

// Qwen2 and Qwen3 configurations can switch sliding windows on; published dense models do not, and
// this program refuses those that would.
void require_full_attention(ConfigReader& reader);

}  // namespace invar

// Qwen3-Next: a hybrid with experts, whose Gated DeltaNet tensors are stored key head by key head.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen3Next;

}  // namespace invar

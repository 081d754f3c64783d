// Llama (1 to 3.2, SmolLM2 and others of model_type "llama").
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kLlama;

}  // namespace invar

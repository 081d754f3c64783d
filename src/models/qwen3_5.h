// Qwen3.5 (text part), dense and with experts.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen35;
extern const Family kQwen35Moe;

}  // namespace invar

// Qwen3.5, dense and with experts: the text part alone, and as published, beside an image encoder.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kQwen35;
extern const Family kQwen35Moe;
extern const Family kQwen35Images;
extern const Family kQwen35MoeImages;

}  // namespace invar

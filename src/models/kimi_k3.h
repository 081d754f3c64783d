// Kimi K3: Kimi Linear's layers with residual banks, latent experts and SiTU, inside a wrapper for
// text and images. Only the text part is loaded.
#pragma once

#include "models/family.h"

namespace invar {

extern const Family kKimiK3;

}  // namespace invar

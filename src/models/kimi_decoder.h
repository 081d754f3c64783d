// The decoder that Kimi Linear and Kimi K3 share: delta attention and latent attention in turn,
// dense first layers and experts behind them, and a residual that is plain or banked.
#pragma once

#include "models/family.h"
#include "models/kimi_config.h"

namespace invar {

FamilyOutput build_kimi_decoder(FamilyInput& input, const KimiConfig& config);

}  // namespace invar

// The decoder that Kimi Linear and Kimi K3 share: delta attention and latent attention in turn,
// dense first layers and experts behind them, and a residual that is plain or banked.
#pragma once

#include <string>

#include "models/family.h"
#include "models/kimi_config.h"

namespace invar {

// `prefix` stands before every tensor's name; the head may do without it.
FamilyOutput build_kimi_decoder(FamilyInput& input, const KimiConfig& config,
                                const std::string& prefix);

}  // namespace invar

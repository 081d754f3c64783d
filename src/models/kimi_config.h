// The configuration of Kimi Linear and Kimi K3: layers of Kimi Delta Attention and of latent
// attention, and a mixture of experts behind dense first layers.
#pragma once

#include <optional>
#include <vector>

#include "backend/ops/moe_route.h"
#include "backend/ops/situ_mul.h"
#include "config/model_config.h"

namespace invar {

struct KimiConfig {
  ModelConfig model;
  std::vector<bool> is_attention;  // by layer: latent attention, else delta attention
  int64_t dense_layers = 0;        // the first ones, without experts
  int64_t bank_layers = 0;         // a residual bank every so many layers; 0: a plain residual
  std::optional<SituMulAttributes> situ;  // the activation; without it SwiGLU

  struct DeltaAttention {
    int64_t heads = 0;
    int64_t head_dim = 0;
    int64_t conv_taps = 0;
    std::optional<float> lower_bound;
    bool full_rank_gate = false;
  } delta;

  struct LatentAttention {
    int64_t q_lora = 0;  // 0: the query has one matrix
    int64_t kv_lora = 0;
    int64_t nope = 0;
    int64_t rope = 0;
    int64_t value_dim = 0;
    bool rotated = false;
    bool gated = false;
  } latent;

  struct Experts {
    int64_t count = 0;
    int64_t width = 0;
    int64_t shared_width = 0;  // of all shared experts together; 0: there are none
    int64_t latent_width = 0;  // 0: the hidden size
    bool latent_norm = false;
    MoeRouteAttributes routing;
  } experts;
};

// Sizes are checked; kUnsupported for keys that would change the computation.
KimiConfig read_kimi_config(ConfigReader& reader);

// Id 2 ends no text of Kimi K3's vocabulary: checkpoints have it from the configuration that theirs
// was derived from.
void drop_leftover_end_token(ModelConfig& config);

}  // namespace invar

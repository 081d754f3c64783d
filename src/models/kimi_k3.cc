// See kimi_k3.h.
#include "models/kimi_k3.h"

#include "models/kimi_config.h"
#include "models/kimi_linear.h"
#include "models/text_part.h"

namespace invar {
namespace {

constexpr std::string_view kImageTensors[] = {"vision_tower.", "mm_projector."};
constexpr std::string_view kImageKeys[] = {"ignore_index", "image_placeholder",
                                           "media_placeholder_token_id", "vision_config"};

FamilyOutput build(FamilyInput& input) {
  FamilyOutput output = build_text_part(
      input, {.text = kKimiLinear,
              .prefixes = {.model = "language_model.model.", .head = "language_model."},
              .other_tensors = kImageTensors,
              .other_keys = kImageKeys});
  drop_leftover_end_token(output.config);
  return output;
}

}  // namespace

const Family kKimiK3{.name = "kimi_k3", .gguf_architectures = {}, .build = &build};

}  // namespace invar

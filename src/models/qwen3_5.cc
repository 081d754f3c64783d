// See qwen3_5.h.
#include "models/qwen3_5.h"

#include "models/qwen_hybrid.h"
#include "models/text_part.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  // There are no other layers, but files may say so.
  input.config.require({"mlp_only_layers", ""}, nlohmann::json::array());
  return build_qwen_hybrid(input, {});
}

FamilyOutput build_moe(FamilyInput& input) {
  return build_qwen_hybrid(input, {.experts = QwenMoeTraits{.renormalize = true, .shared = true}});
}

constexpr std::string_view kArchitectures[] = {"qwen35"};
constexpr std::string_view kMoeArchitectures[] = {"qwen35moe"};

constexpr std::string_view kImageTensors[] = {"model.visual."};
constexpr std::string_view kImageKeys[] = {"image_token_id",       //
                                           "language_model_only",  //
                                           "video_token_id",       //
                                           "vision_config",        //
                                           "vision_end_token_id",  //
                                           "vision_start_token_id"};

FamilyOutput build_with_images(FamilyInput& input, const Family& text) {
  return build_text_part(input, {.text = text,
                                 .prefixes = {.model = "model.language_model.", .head = ""},
                                 .other_tensors = kImageTensors,
                                 .other_keys = kImageKeys});
}

FamilyOutput build_published(FamilyInput& input) {
  return build_with_images(input, kQwen35);
}

FamilyOutput build_published_moe(FamilyInput& input) {
  return build_with_images(input, kQwen35Moe);
}

}  // namespace

const Family kQwen35{.name = "qwen3_5_text", .gguf_architectures = kArchitectures, .build = &build};
const Family kQwen35Moe{
    .name = "qwen3_5_moe_text", .gguf_architectures = kMoeArchitectures, .build = &build_moe};
const Family kQwen35Images{.name = "qwen3_5", .gguf_architectures = {}, .build = &build_published};
const Family kQwen35MoeImages{
    .name = "qwen3_5_moe", .gguf_architectures = {}, .build = &build_published_moe};

}  // namespace invar

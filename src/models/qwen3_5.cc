// See qwen3_5.h.
#include "models/qwen3_5.h"

#include "models/qwen_hybrid.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  return build_qwen_hybrid(input, {});
}

FamilyOutput build_moe(FamilyInput& input) {
  return build_qwen_hybrid(input, {.experts = QwenMoeTraits{.renormalize = true, .shared = true}});
}

constexpr std::string_view kArchitectures[] = {"qwen35"};
constexpr std::string_view kMoeArchitectures[] = {"qwen35moe"};

}  // namespace

const Family kQwen35{.name = "qwen3_5_text", .gguf_architectures = kArchitectures, .build = &build};
const Family kQwen35Moe{
    .name = "qwen3_5_moe_text", .gguf_architectures = kMoeArchitectures, .build = &build_moe};

}  // namespace invar

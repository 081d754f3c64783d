// See qwen3_next.h.
#include "models/qwen3_next.h"

#include "models/qwen_hybrid.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  return build_qwen_hybrid(input, {.experts = QwenMoeTraits{.renormalize = true, .shared = true}});
}

}  // namespace

const Family kQwen3Next{.name = "qwen3_next", .gguf_architectures = {}, .build = &build};

}  // namespace invar

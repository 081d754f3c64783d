// See kimi_linear.h.
#include "models/kimi_linear.h"

#include "models/kimi_decoder.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  return build_kimi_decoder(input, read_kimi_config(input.config));
}

}  // namespace

const Family kKimiLinear{.name = "kimi_linear", .gguf_architectures = {}, .build = &build};

}  // namespace invar

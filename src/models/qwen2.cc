// See qwen2.h.
#include "models/qwen2.h"

#include "core/error.h"
#include "models/dense_decoder.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  ModelConfig config = read_model_config(input.config);
  require_full_attention(input.config);
  return build_dense_decoder(input, std::move(config), {.qkv_bias = true});
}

constexpr std::string_view kArchitectures[] = {"qwen2"};

}  // namespace

void require_full_attention(ConfigReader& reader) {
  reader.require({"use_sliding_window", ""}, false);
  // Without use_sliding_window the window's width means nothing.
  constexpr std::string_view kUnused[] = {"sliding_window", "use_mrope"};
  reader.ignore(kUnused);
  for (const std::string& type : reader.strings({"layer_types", ""})) {
    if (type != "full_attention") {
      fail(Code::kUnsupported,
           "{}: key 'layer_types': only 'full_attention' is supported, found '{}'", reader.label(),
           type);
    }
  }
}

const Family kQwen2{.name = "qwen2", .gguf_architectures = kArchitectures, .build = &build};

}  // namespace invar

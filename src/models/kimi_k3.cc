// See kimi_k3.h.
#include "models/kimi_k3.h"

#include "config/stated_fact.h"
#include "core/error.h"
#include "models/kimi_decoder.h"

namespace invar {
namespace {

constexpr std::string_view kPrefix = "language_model.";
// Tensors of the parts that text requests never touch.
constexpr std::string_view kImageParts[] = {"vision_tower.", "mm_projector."};
constexpr std::string_view kImageKeys[] = {"ignore_index", "image_placeholder",
                                           "media_placeholder_token_id", "vision_config"};

void ignore_image_parts(WeightStore& store) {
  for (const SourceTensor& tensor : store.source().tensors()) {
    for (const std::string_view part : kImageParts) {
      if (tensor.name.starts_with(part)) {
        store.ignore(tensor.name);
      }
    }
  }
}

// Some files state it here, some with the text, some twice.
void join_quantization(ConfigReader& wrapper, ModelConfig& text) {
  auto outer = read_quantization_config(wrapper);
  if (!outer) {
    return;
  }
  if (text.quantization && text.quantization->ignored != outer->ignored) {
    fail(Code::kBadFile, "{}: key 'ignore': expected {} (as {} states), found {}", outer->place,
         short_text(text.quantization->ignored), text.quantization->place,
         short_text(outer->ignored));
  }
  text.quantization = std::move(outer);
}

FamilyOutput build(FamilyInput& input) {
  ConfigReader& wrapper = input.config;
  auto text = wrapper.object("text_config");
  if (!text) {
    fail(Code::kBadFile, "{}: key 'text_config': expected an object, found nothing",
         wrapper.label());
  }
  KimiConfig config = read_kimi_config(*text);
  text->refuse_unread();
  constexpr ConfigKey kTied{"tie_word_embeddings", ""};
  StatedFact<bool> tied;
  tied.add(*text, kTied, config.model.tie_word_embeddings);
  tied.add(wrapper, kTied, wrapper.find_boolean(kTied));
  std::vector<int64_t> ends = read_end_tokens(wrapper, config.model.vocab_size);
  if (config.model.eos_token_ids.empty()) {
    config.model.eos_token_ids = std::move(ends);
  }
  join_quantization(wrapper, config.model);
  wrapper.ignore(kImageKeys);
  ignore_inert_keys(wrapper);
  ignore_image_parts(input.weights);
  return build_kimi_decoder(input, config, std::string(kPrefix));
}

}  // namespace

const Family kKimiK3{.name = "kimi_k3", .gguf_architectures = {}, .build = &build};

}  // namespace invar

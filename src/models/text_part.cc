// See text_part.h.
#include "models/text_part.h"

#include "config/stated_fact.h"
#include "core/error.h"

namespace invar {
namespace {

constexpr ConfigKey kTied{"tie_word_embeddings", ""};

TensorPrefixes found_prefixes(const WeightStore& store, const TensorPrefixes& usual) {
  TensorPrefixes prefixes = usual;
  if (!store.has(usual.head + "lm_head.weight")) {
    prefixes.head.clear();
  }
  return prefixes;
}

// Some files state it outside, some with the text, some twice.
void join_quantization(ConfigReader& outer, ModelConfig& text) {
  auto stated = read_quantization_config(outer);
  if (!stated) {
    return;
  }
  if (text.quantization && text.quantization->ignored != stated->ignored) {
    fail(Code::kBadFile, "{}: key 'ignore': expected {} (as {} states), found {}", stated->place,
         short_text(text.quantization->ignored), text.quantization->place,
         short_text(stated->ignored));
  }
  text.quantization = std::move(stated);
}

}  // namespace

FamilyOutput build_text_part(FamilyInput& input, const Wrapper& wrapper) {
  ConfigReader& outer = input.config;
  auto text = outer.object("text_config");
  if (!text) {
    outer.wrong({"text_config", ""}, "an object", nullptr);
  }
  if (const std::string inner = text->architecture(); inner != wrapper.text.name) {
    fail(Code::kUnsupported, "{}: expected '{}' (in a '{}'), found '{}'",
         text->place({"model_type", ""}), wrapper.text.name, outer.architecture(), inner);
  }
  const std::optional<bool> outer_tied = outer.find_boolean(kTied);
  if (outer_tied) {
    text->set_default(kTied.hf, *outer_tied);
  }
  FamilyInput part{.config = *text,
                   .weights = input.weights,
                   .policy = input.policy,
                   .context = input.context,
                   .prefixes = found_prefixes(input.weights, wrapper.prefixes)};
  FamilyOutput output = wrapper.text.build(part);
  text->refuse_unread();
  StatedFact<bool> tied;
  tied.add(*text, kTied, output.config.tie_word_embeddings);
  tied.add(outer, kTied, outer_tied);
  for (const int64_t id : read_end_tokens(outer, output.config.vocab_size)) {
    add_end_token(output.config, id);
  }
  join_quantization(outer, output.config);
  outer.ignore(wrapper.other_keys);
  ignore_inert_keys(outer);
  for (const std::string_view prefix : wrapper.other_tensors) {
    input.weights.ignore_all(prefix);
  }
  return output;
}

}  // namespace invar

// See model_config.h.
#include "config/model_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/stated_fact.h"
#include "core/error.h"

namespace invar {
namespace {

constexpr IntegerRange kSize{1, int64_t{1} << 20};
constexpr IntegerRange kVocabulary{1, int64_t{1} << 24};
constexpr IntegerRange kLayers{1, 4096};
constexpr IntegerRange kHeads{1, 4096};
constexpr IntegerRange kPositions{1, int64_t{1} << 24};
constexpr NumberRange kEpsilon{0, 1};

// Keys that say how a checkpoint was made, trained or packaged.
constexpr std::string_view kIgnored[] = {
    "_name_or_path",            //
    "architectures",            //
    "attention_dropout",        //
    "auto_map",                 //
    "chunk_size_feed_forward",  //
    "dtype",                    //
    "hidden_dropout",           //
    "id2label",                 //
    "initializer_range",        //
    "is_encoder_decoder",       //
    "is_llama_config",          //
    "label2id",                 //
    "max_window_layers",        //
    "model_type",               //
    "name_or_path",             //
    "output_attentions",        //
    "output_hidden_states",     //
    "pad_token_id",             //
    "pretraining_tp",           //
    "problem_type",             //
    "return_dict",              //
    "torch_dtype",              //
    "transformers.js_config",   //
    "transformers_version",     //
    "unk_token_id",             //
    "use_cache",                //
};

void check_heads(const ConfigReader& reader, const ModelConfig& config) {
  if (config.num_attention_heads % config.num_key_value_heads != 0) {
    fail(Code::kBadFile, "{}: key 'num_key_value_heads': expected a divisor of {} heads, found {}",
         reader.label(), config.num_attention_heads, config.num_key_value_heads);
  }
  if (config.head_dim % 16 != 0 || config.head_dim > 256) {
    fail(Code::kUnsupported, "{}: key 'head_dim': expected a multiple of 16 up to 256, found {}",
         reader.label(), config.head_dim);
  }
}

// One number, or (GGUF) one for each layer, with 0 for layers without attention.
int64_t read_key_value_heads(ConfigReader& reader, ModelConfig& config) {
  const ConfigKey key{"num_key_value_heads", "attention.head_count_kv"};
  const std::vector<int64_t> counts = reader.integers(key);
  if (counts.size() <= 1) {
    return reader.find_integer(key, kHeads).value_or(config.num_attention_heads);
  }
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  if (std::ssize(counts) != config.num_hidden_layers) {
    reader.wrong(key, fmt::format("one count or {} (one a layer)", config.num_hidden_layers),
                 fmt::format("{} counts", counts.size()));
  }
  for (int64_t count : counts) {
    if (most < 1 || most > kHeads.max || (count != 0 && count != most)) {
      reader.wrong(key, "one count for all attention layers and 0 for the others", counts);
    }
    config.layer_has_attention.push_back(count != 0);
  }
  return most;
}

// GGUF states the columns, config.json their share.
int64_t read_rotary_columns(ConfigReader& reader, const ModelConfig& config) {
  const auto stated = reader.find_integer({"", "rope.dimension_count"}, {1, config.head_dim});
  const double share = config.rope.partial_rotary_factor;
  const int64_t columns =
      stated.value_or(static_cast<int64_t>(share * static_cast<double>(config.head_dim)));
  if (columns < 2 || columns % 2 != 0) {
    fail(Code::kBadFile, "{}: rotary columns: expected an even part of head_dim {}, found {}",
         reader.label(), config.head_dim, columns);
  }
  return columns;
}

// A model whose layers all have experts need not state it: 0.
int64_t read_intermediate_size(ConfigReader& reader) {
  constexpr ConfigKey kKeys[] = {{"intermediate_size", "feed_forward_length"},
                                 {"block_ff_dim", ""}};
  StatedFact<int64_t> size;
  for (const ConfigKey& key : kKeys) {
    size.add(reader, key, reader.find_integer(key, kSize));
  }
  const bool optional = reader.has({"moe_intermediate_size", "expert_feed_forward_length"});
  return size.value() || optional ? size.value_or(0) : reader.get_integer(kKeys[0], kSize);
}

}  // namespace

void ignore_inert_keys(ConfigReader& reader) {
  reader.ignore(kIgnored);
}

float read_norm_epsilon(ConfigReader& reader, std::span<const ConfigKey> keys) {
  StatedFact<double> epsilon;
  for (const ConfigKey& key : keys) {
    epsilon.add(reader, key, reader.find_number(key, kEpsilon));
  }
  return static_cast<float>(epsilon.value() ? *epsilon.value()
                                            : reader.get_number(keys.front(), kEpsilon));
}

std::vector<int64_t> read_end_tokens(ConfigReader& reader, int64_t vocabulary) {
  reader.token_ids({"bos_token_id", ""}, vocabulary);
  return reader.token_ids({"eos_token_id", ""}, vocabulary);
}

void add_end_token(ModelConfig& config, int64_t id) {
  const auto is_id = [id](int64_t other) { return other == id; };
  if (std::ranges::none_of(config.eos_token_ids, is_id) &&
      std::ranges::none_of(config.not_end_token_ids, is_id)) {
    config.eos_token_ids.push_back(id);
  }
}

ModelConfig read_model_config(ConfigReader& reader, const ConfigDefaults& defaults) {
  ModelConfig config;
  config.model_type = reader.architecture();
  config.hidden_size = reader.get_integer({"hidden_size", "embedding_length"}, kSize);
  config.intermediate_size = read_intermediate_size(reader);
  config.num_hidden_layers = reader.get_integer({"num_hidden_layers", "block_count"}, kLayers);
  config.num_attention_heads =
      reader.get_integer({"num_attention_heads", "attention.head_count"}, kHeads);
  config.num_key_value_heads = read_key_value_heads(reader, config);
  auto head_dim = reader.find_integer({"head_dim", "attention.key_length"}, kSize);
  if (!head_dim && defaults.head_dim > 0 && !reader.is_gguf()) {
    head_dim = defaults.head_dim;
  }
  if (!head_dim && config.hidden_size % config.num_attention_heads != 0) {
    fail(Code::kBadFile, "{}: key 'hidden_size': expected a multiple of {} heads, found {}",
         reader.label(), config.num_attention_heads, config.hidden_size);
  }
  config.head_dim = head_dim.value_or(config.hidden_size / config.num_attention_heads);
  check_heads(reader, config);
  config.max_position_embeddings =
      reader.get_integer({"max_position_embeddings", "context_length"}, kPositions);
  constexpr ConfigKey kEpsilonKeys[] = {{"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
                                        {"norm_eps", ""},
                                        {"block_norm_eps", ""}};
  config.rms_norm_eps = read_norm_epsilon(reader, kEpsilonKeys);
  config.rope = read_rope_parameters(reader, defaults.rope);
  config.rotary_columns = read_rotary_columns(reader, config);
  check_sections(reader, config.rope, config.rotary_columns);
  StatedFact<bool> tied;
  for (const std::string_view key : {"tie_word_embeddings", "tie_embedding"}) {
    tied.add(reader, {key, ""}, reader.find_boolean({key, ""}));
  }
  config.tie_word_embeddings = tied.value_or(defaults.tie_word_embeddings);
  // GGUF files need not say the size of the vocabulary: then the embedding's rows do.
  const auto vocabulary = reader.find_integer({"vocab_size", "vocab_size"}, kVocabulary);
  if (!vocabulary && !reader.is_gguf()) {
    reader.get_integer({"vocab_size", ""}, kVocabulary);
  }
  config.vocab_size = vocabulary.value_or(0);
  config.eos_token_ids = read_end_tokens(reader, config.vocab_size);
  reader.require({"hidden_act", ""}, "silu");
  reader.require({"", "attention.value_length"}, config.head_dim);
  ignore_inert_keys(reader);
  return config;
}

}  // namespace invar

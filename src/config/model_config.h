// The part of a configuration that every decoder family has, under Hugging Face's names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config_reader.h"
#include "config/quantization_config.h"
#include "config/rope_parameters.h"

namespace invar {

struct ModelConfig {
  std::string model_type;
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;  // 0: not stated, which only models with experts may
  int64_t num_hidden_layers = 0;
  int64_t num_attention_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  int64_t rotary_columns = 0;  // the first columns of each head that rotate; head_dim: all
  std::vector<bool> layer_has_attention;  // by layer, where a GGUF file says so; else empty
  int64_t max_position_embeddings = 0;
  float rms_norm_eps = 0;
  RopeParameters rope;
  bool tie_word_embeddings = false;
  std::vector<int64_t> eos_token_ids;      // as config.json says; a tokenizer may name more
  std::vector<int64_t> not_end_token_ids;  // that files name by mistake, whichever file it is
  std::optional<QuantizationConfig> quantization;  // of families that can be packed
};

// Each id stands once; those that end nothing do not.
void add_end_token(ModelConfig& config, int64_t id);

// What keys mean that a family's config.json may leave out.
struct ConfigDefaults {
  bool tie_word_embeddings = false;  // GGUF: the caller looks for an output tensor instead
  int64_t head_dim = 0;              // 0, and GGUF: hidden_size / num_attention_heads
  RopeParameters rope = {};
};

// Reads the keys above and ignores those that change no computation.
// Sizes are checked: at least one head, heads a multiple of KV heads, head_dim a multiple of 16
// up to 256 (kUnsupported otherwise).
ModelConfig read_model_config(ConfigReader& reader, const ConfigDefaults& defaults = {});

// Marks the keys as read that say how a checkpoint was made, trained or packaged.
void ignore_inert_keys(ConfigReader& reader);

// The epsilon of RMS norms under any of these names; they must agree where there are several.
float read_norm_epsilon(ConfigReader& reader, std::span<const ConfigKey> keys);

// Reads eos_token_id; bos_token_id says nothing that is needed, but must be sound too.
std::vector<int64_t> read_end_tokens(ConfigReader& reader, int64_t vocabulary);

}  // namespace invar

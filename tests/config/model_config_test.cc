// The keys that every decoder has, from config.json and GGUF, and the text of every refusal.
#include "config/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "formats/gguf_writer.h"

namespace invar {
namespace {

using testing::ElementsAre;

nlohmann::json sound_config() {
  return nlohmann::json::parse(R"({
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64,
    "intermediate_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 4096, "rms_norm_eps": 1e-6,
    "hidden_act": "silu", "tie_word_embeddings": true, "eos_token_id": [2, 3], "vocab_size": 256,
    "rope_theta": 10000.0, "torch_dtype": "bfloat16", "use_cache": true})");
}

ModelConfig read(const nlohmann::json& json, bool tied_by_default = false) {
  ConfigReader reader("config.json", json);
  const ModelConfig config = read_model_config(reader, {.tie_word_embeddings = tied_by_default});
  reader.refuse_unread();
  return config;
}

ModelConfig read_with(const std::string& key, const nlohmann::json& value) {
  nlohmann::json json = sound_config();
  json[key] = value;
  return read(json);
}
ModelConfig read_without(const std::string& key) {
  nlohmann::json json = sound_config();
  json.erase(key);
  return read(json);
}

TEST(ModelConfig, OfConfigJson) {
  const ModelConfig config = read(sound_config());
  EXPECT_EQ(config.model_type, "llama");
  EXPECT_EQ(config.vocab_size, 256);
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.intermediate_size, 96);
  EXPECT_EQ(config.num_hidden_layers, 4);
  EXPECT_EQ(config.num_attention_heads, 4);
  EXPECT_EQ(config.num_key_value_heads, 2);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.rotary_columns, 16);
  EXPECT_EQ(config.max_position_embeddings, 4096);
  EXPECT_EQ(config.rms_norm_eps, 1e-6f);
  EXPECT_EQ(config.rope.rope_theta, 10000.0);
  EXPECT_TRUE(config.tie_word_embeddings);
  EXPECT_THAT(config.eos_token_ids, ElementsAre(2, 3));
}

TEST(ModelConfig, Defaults) {
  EXPECT_EQ(read_without("num_key_value_heads").num_key_value_heads, 4);
  EXPECT_EQ(read_with("head_dim", 32).head_dim, 32);
  EXPECT_EQ(read_with("head_dim", nullptr).head_dim, 16);
  EXPECT_FALSE(read_without("tie_word_embeddings").tie_word_embeddings);
  nlohmann::json json = sound_config();
  json.erase("tie_word_embeddings");
  EXPECT_TRUE(read(json, /*tied_by_default=*/true).tie_word_embeddings);
  EXPECT_TRUE(read_without("eos_token_id").eos_token_ids.empty());
}

TEST(ModelConfig, TheEpsilonHasTwoNames) {
  nlohmann::json json = sound_config();
  json["norm_eps"] = 1e-6;
  EXPECT_EQ(read(json).rms_norm_eps, 1e-6f);
  json.erase("rms_norm_eps");
  EXPECT_EQ(read(json).rms_norm_eps, 1e-6f);
}

TEST(ModelConfig, KeyValueHeadsOfEachLayer) {
  EXPECT_THAT(read_with("num_key_value_heads", {2, 0, 2, 0}).layer_has_attention,
              ElementsAre(true, false, true, false));
  const auto refuse = [](const nlohmann::json& counts, const std::string& message) {
    expect_error([&] { read_with("num_key_value_heads", counts); }, Code::kBadFile,
                 "config.json: key 'num_key_value_heads': expected " + message);
  };
  refuse({2, 0}, "one count or 4 (one a layer), found \"2 counts\"");
  refuse({2, 2, 2, 2, 2}, "one count or 4 (one a layer), found \"5 counts\"");
  refuse({2, 0, 1, 0}, "one count for all attention layers and 0 for the others, found [2,0,1,0]");
  refuse({0, 0, 0, 0}, "one count for all attention layers and 0 for the others, found [0,0,0,0]");
}

TEST(ModelConfig, OfGguf) {
  const auto read_gguf = [](std::optional<uint32_t> vocabulary, uint32_t value_length,
                            uint32_t rotary_columns = 32) {
    GgufWriter writer;
    writer.add_string("general.architecture", "qwen2");
    writer.add<uint32_t>("qwen2.embedding_length", 64);
    writer.add<uint32_t>("qwen2.feed_forward_length", 96);
    writer.add<uint32_t>("qwen2.block_count", 4);
    writer.add<uint32_t>("qwen2.attention.head_count", 4);
    writer.add<uint32_t>("qwen2.attention.head_count_kv", 2);
    writer.add<uint32_t>("qwen2.attention.key_length", 32);
    writer.add<uint32_t>("qwen2.attention.value_length", value_length);
    writer.add<uint32_t>("qwen2.rope.dimension_count", rotary_columns);
    writer.add<uint32_t>("qwen2.context_length", 2048);
    writer.add<float>("qwen2.attention.layer_norm_rms_epsilon", 1e-5f);
    if (vocabulary) {
      writer.add<uint32_t>("qwen2.vocab_size", *vocabulary);
    }
    const std::string bytes = writer.build();
    const GgufFile file = GgufFile::parse("m.gguf", bytes_of(bytes));
    ConfigReader reader(file);
    const ModelConfig config = read_model_config(reader);
    reader.refuse_unread();
    return config;
  };
  const ModelConfig config = read_gguf(300, 32);
  EXPECT_EQ(config.model_type, "qwen2");
  EXPECT_EQ(config.vocab_size, 300);
  EXPECT_EQ(config.head_dim, 32);
  EXPECT_EQ(config.rotary_columns, 32);
  EXPECT_EQ(read_gguf(300, 32, 8).rotary_columns, 8);
  EXPECT_EQ(config.num_key_value_heads, 2);
  EXPECT_EQ(config.max_position_embeddings, 2048);
  EXPECT_EQ(config.rms_norm_eps, 1e-5f);
  EXPECT_EQ(read_gguf(std::nullopt, 32).vocab_size, 0);  // the embedding's rows will say
  expect_error([&] { read_gguf(300, 16); }, Code::kUnsupported,
               "m.gguf: key 'qwen2.attention.value_length': only 32 is supported, found 16");
  expect_error([&] { read_gguf(300, 32, 7); }, Code::kBadFile,
               "m.gguf: rotary columns: expected an even part of head_dim 32, found 7");
}

TEST(ModelConfig, Refusals) {
  const auto refuse = [](auto action, Code code, const std::string& message) {
    expect_error(action, code, "config.json: " + message);
  };
  for (const char* key : {"hidden_size", "intermediate_size"}) {
    refuse([&] { read_without(key); }, Code::kBadFile,
           fmt::format("key '{}': expected an integer from 1 to 1048576, found nothing", key));
  }
  refuse([] { read_without("vocab_size"); }, Code::kBadFile,
         "key 'vocab_size': expected an integer from 1 to 16777216, found nothing");
  refuse([] { read_with("num_hidden_layers", 0); }, Code::kBadFile,
         "key 'num_hidden_layers': expected an integer from 1 to 4096, found 0");
  refuse([] { read_with("num_key_value_heads", 3); }, Code::kBadFile,
         "key 'num_key_value_heads': expected a divisor of 4 heads, found 3");
  refuse([] { read_with("hidden_size", 66); }, Code::kBadFile,
         "key 'hidden_size': expected a multiple of 4 heads, found 66");
  refuse([] { read_with("head_dim", 24); }, Code::kUnsupported,
         "key 'head_dim': expected a multiple of 16 up to 256, found 24");
  refuse([] { read_with("head_dim", 272); }, Code::kUnsupported,
         "key 'head_dim': expected a multiple of 16 up to 256, found 272");
  refuse([] { read_with("rms_norm_eps", -1); }, Code::kBadFile,
         "key 'rms_norm_eps': expected a number from 0 to 1, found -1");
  refuse([] { read_with("rms_norm_eps", 1.5); }, Code::kBadFile,
         "key 'rms_norm_eps': expected a number from 0 to 1, found 1.5");
  refuse([] { read_without("rms_norm_eps"); }, Code::kBadFile,
         "key 'rms_norm_eps': expected a number from 0 to 1, found nothing");
  refuse([] { read_with("norm_eps", 1e-5); }, Code::kBadFile,
         "key 'norm_eps': expected 1e-06 (as config.json: key 'rms_norm_eps' states), found 1e-05");
  refuse([] { read_with("block_ff_dim", 32); }, Code::kBadFile,
         "key 'block_ff_dim': expected 96 (as config.json: key 'intermediate_size' states), found "
         "32");
  for (const char* key : {"eos_token_id", "bos_token_id"}) {
    refuse([&] { read_with(key, 256); }, Code::kBadFile,
           fmt::format("key '{}': expected token ids from 0 to 255, found 256", key));
    refuse(
        [&] {
          read_with(key, {1, 4294967486});
        },
        Code::kBadFile,
        fmt::format("key '{}': expected token ids from 0 to 255, found 4294967486", key));
    refuse([&] { read_with(key, -1); }, Code::kBadFile,
           fmt::format("key '{}': expected token ids from 0 to 255, found -1", key));
  }
  refuse([] { read_with("hidden_act", "gelu"); }, Code::kUnsupported,
         "key 'hidden_act': only \"silu\" is supported, found \"gelu\"");
  refuse([] { read_with("attn_logit_softcapping", 50.0); }, Code::kUnsupported,
         "unknown key(s), which may change the computation: 'attn_logit_softcapping'");
}

TEST(ModelConfig, AbsentKeysMeanWhatTheFamilySays) {
  nlohmann::json json = sound_config();
  const ConfigDefaults defaults{.head_dim = 128, .rope = {.partial_rotary_factor = 0.25}};
  ConfigReader absent("config.json", json);
  const ModelConfig config = read_model_config(absent, defaults);
  EXPECT_EQ(config.head_dim, 128);
  EXPECT_EQ(config.rotary_columns, 32);
  json["head_dim"] = 64;
  ConfigReader stated("config.json", json);
  EXPECT_EQ(read_model_config(stated, defaults).head_dim, 64);
}

}  // namespace
}  // namespace invar

// What Kimi configurations say, in both spellings, and refusals.
#include "models/kimi_config.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

nlohmann::json linear_config() {
  return read_json_file(golden_folder("kimi-linear") / "config.json");
}
nlohmann::json k3_config() {
  return read_json_file(golden_folder("kimi-k3") / "config.json")["text_config"];
}

KimiConfig read(const nlohmann::json& json) {
  ConfigReader reader("config.json", json);
  KimiConfig config = read_kimi_config(reader);
  reader.refuse_unread();
  return config;
}

TEST(KimiConfig, OfKimiLinear) {
  const KimiConfig config = read(linear_config());
  EXPECT_EQ(config.is_attention, (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(config.dense_layers, 1);
  EXPECT_EQ(config.bank_layers, 0);
  EXPECT_FALSE(config.situ);
  EXPECT_EQ(config.delta.head_dim, 16);
  EXPECT_FALSE(config.delta.lower_bound);
  EXPECT_FALSE(config.delta.full_rank_gate);
  EXPECT_EQ(config.latent.q_lora, 0);
  EXPECT_FALSE(config.latent.rotated);
  EXPECT_FALSE(config.latent.gated);
  EXPECT_EQ(config.experts.latent_width, 0);
  EXPECT_EQ(config.experts.shared_width, 16);
  EXPECT_TRUE(config.experts.routing.sigmoid);
  EXPECT_TRUE(config.experts.routing.renormalize);
  EXPECT_FLOAT_EQ(config.experts.routing.scale, 2.4f);
  EXPECT_EQ(config.model.max_position_embeddings, 4096);  // model_max_length
}

TEST(KimiConfig, OfKimiK3) {
  const KimiConfig config = read(k3_config());
  EXPECT_EQ(config.is_attention, (std::vector<bool>{false, false, false, true, false, true, true}));
  EXPECT_EQ(config.bank_layers, 3);
  ASSERT_TRUE(config.situ);
  EXPECT_EQ(config.situ->beta, 4);
  EXPECT_EQ(config.situ->linear_beta, 25);
  EXPECT_EQ(config.delta.lower_bound, -5);
  EXPECT_TRUE(config.delta.full_rank_gate);
  EXPECT_EQ(config.latent.q_lora, 48);
  EXPECT_TRUE(config.latent.gated);
  EXPECT_EQ(config.experts.latent_width, 64);
  EXPECT_TRUE(config.experts.latent_norm);
  EXPECT_EQ(config.experts.shared_width, 64);
}

TEST(KimiConfig, EitherSpellingOfTheLinearLayersIsEnough) {
  nlohmann::json flat = linear_config();
  flat.erase("linear_attn_config");
  nlohmann::json nested = linear_config();
  for (const char* key :
       {"layer_types", "linear_conv_kernel_dim", "linear_head_dim", "linear_num_heads"}) {
    nested.erase(key);
  }
  const KimiConfig expected = read(linear_config());
  for (const nlohmann::json& json : {flat, nested}) {
    const KimiConfig config = read(json);
    EXPECT_EQ(config.is_attention, expected.is_attention);
    EXPECT_EQ(config.delta.heads, 4);
    EXPECT_EQ(config.delta.head_dim, 16);
    EXPECT_EQ(config.delta.conv_taps, 4);
  }
}

TEST(KimiConfig, EitherSpellingOfTheDenseLayersIsEnough) {
  for (const char* key : {"first_k_dense_replace", "mlp_layer_types"}) {
    nlohmann::json json = linear_config();
    json.erase(key);
    EXPECT_EQ(read(json).dense_layers, 1) << key;
  }
  nlohmann::json neither = linear_config();
  neither.erase("first_k_dense_replace");
  neither.erase("mlp_layer_types");
  EXPECT_EQ(read(neither).dense_layers, 0);
}

TEST(KimiConfig, ASingleChosenExpertKeepsItsScore) {
  nlohmann::json json = linear_config();
  json["num_experts_per_token"] = 1;
  EXPECT_FALSE(read(json).experts.routing.renormalize);
}

TEST(KimiConfig, RotatesWhereTheConfigurationSaysSo) {
  nlohmann::json json = k3_config();
  json["mla_use_nope"] = false;
  json["rope_theta"] = 5000.0;
  const KimiConfig config = read(json);
  EXPECT_TRUE(config.latent.rotated);
  EXPECT_EQ(config.model.rope.rope_theta, 5000);
  json["rope_scaling"] = {{"mrope_interleaved", true}, {"mrope_section", {4, 1, 1}}};
  expect_error([&] { read(json); }, Code::kBadFile,
               "config.json: key 'mrope_section': expected 8 pairs in all (half the rotary "
               "columns), at most 3 in the second section and 2 in the third, found [4,1,1]");
}

// In K3's vocabulary id 2 is left over from the configuration that checkpoints were derived from.
TEST(KimiConfig, K3sTextsDoNotEndWithIdTwo) {
  const auto ends_of = [](int64_t vocabulary, const nlohmann::json& ends) {
    nlohmann::json json = k3_config();
    json["vocab_size"] = vocabulary;
    json["eos_token_id"] = ends;
    KimiConfig config = read(json);
    drop_leftover_end_token(config.model);
    return config.model;
  };
  EXPECT_EQ(ends_of(384, 2).eos_token_ids, std::vector<int64_t>{2});
  EXPECT_TRUE(ends_of(384, 2).not_end_token_ids.empty());
  EXPECT_EQ(ends_of(163840, {2, 163586}).eos_token_ids, std::vector<int64_t>{163586});
  EXPECT_TRUE(ends_of(163840, 2).eos_token_ids.empty());
  EXPECT_EQ(ends_of(163840, 2).not_end_token_ids, std::vector<int64_t>{2});
}

struct Refusal {
  std::string path;
  nlohmann::json value;
  Code code;
  std::string message;
};

void expect_refusals(const nlohmann::json& good, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    nlohmann::json json = good;
    json[nlohmann::json::json_pointer(refusal.path)] = refusal.value;
    expect_error([&] { read(json); }, refusal.code, "config.json: " + refusal.message);
  }
}

TEST(KimiConfig, RefusesLayersThatDoNotAddUp) {
  const std::string lists = "linear_attn_config: keys 'kda_layers' and 'full_attn_layers': ";
  expect_refusals(
      linear_config(),
      {{"/linear_attn_config/kda_layers",
        {0, 1, 2},
        Code::kBadFile,
        "linear_attn_config: key 'kda_layers': expected layers from 1 to 4, found 0"},
       {"/linear_attn_config/kda_layers",
        {1, 2},
        Code::kBadFile,
        lists + "expected layer 3 once, found it 0 times"},
       {"/linear_attn_config/kda_layers",
        {1, 2, 3, 4},
        Code::kBadFile,
        lists + "expected layer 4 once, found it 2 times"},
       {"/layer_types",
        {"linear_attention", "linear_attention", "full_attention", "linear_attention"},
        Code::kBadFile,
        "key 'layer_types': expected no attention in layer 2 (as config.json: linear_attn_config: "
        "key 'full_attn_layers' states), found it there"},
       {"/layer_types",
        {"full_attention"},
        Code::kBadFile,
        "key 'layer_types': expected 4 (num_hidden_layers), found 1"},
       {"/layer_types",
        {"sliding_attention"},
        Code::kUnsupported,
        "key 'layer_types': expected 'full_attention' or 'linear_attention', found "
        "'sliding_attention'"},
       {"/mlp_layer_types",
        {"sparse", "sparse", "sparse", "sparse"},
        Code::kBadFile,
        "key 'mlp_layer_types': expected 1 dense layers (first_k_dense_replace) first, found layer "
        "0 otherwise"},
       {"/linear_num_heads", 8, Code::kBadFile,
        "key 'linear_num_heads': expected 4 (as config.json: linear_attn_config: key 'num_heads' "
        "states), found 8"},
       {"/max_position_embeddings", 8192, Code::kBadFile,
        "key 'model_max_length': expected 8192 (as config.json: key 'max_position_embeddings' "
        "states), found 4096"}});
  nlohmann::json neither = linear_config();
  neither.erase("layer_types");
  neither["linear_attn_config"].erase("kda_layers");
  neither["linear_attn_config"].erase("full_attn_layers");
  expect_error([&] { read(neither); }, Code::kBadFile,
               "config.json: key 'layer_types': expected the kind of each layer, here or in "
               "linear_attn_config, found nothing");
}

TEST(KimiConfig, RefusesSizesThatItCannotCompute) {
  expect_refusals(
      k3_config(),
      {{"/linear_attn_config/head_dim", 24, Code::kUnsupported,
        "key 'linear_attn_config.head_dim': expected a multiple of 16, found 24"},
       {"/linear_attn_config/gate_lower_bound", 5, Code::kBadFile,
        "linear_attn_config: key 'gate_lower_bound': expected a number from -1000000 to -1e-06, "
        "found 5"},
       {"/kv_lora_rank", 1024, Code::kUnsupported,
        "key 'kv_lora_rank': expected at most 640 together with qk_rope_head_dim, found 1040"},
       {"/num_expert_group", 3, Code::kBadFile,
        "key 'num_expert_group': expected a divisor of 8 experts with 3 in 1 groups, found 3"},
       {"/activation_situ_beta", 0, Code::kBadFile,
        "key 'activation_situ_beta': expected a number from 1e-06 to 1000000, found 0"},
       {"/head_dim", -1, Code::kBadFile,
        "key 'head_dim': expected an integer from 1 to 1048576, found -1"},
       {"/head_dim", 1e30, Code::kBadFile,
        "key 'head_dim': expected an integer from 1 to 1048576, found 1e+30"},
       {"/head_dim", nlohmann::json::object(), Code::kBadFile,
        "key 'head_dim': expected an integer from 1 to 1048576, found {}"},
       {"/use_grouped_topk", 1, Code::kBadFile,
        "key 'use_grouped_topk': expected true or false, found 1"},
       {"/rms_norm_eps", 2, Code::kBadFile,
        "key 'rms_norm_eps': expected a number from 0 to 1, found 2"},
       {"/hidden_act", "gelu", Code::kUnsupported,
        "key 'hidden_act': only \"silu\" is supported, found \"gelu\""},
       {"/moe_router_activation_func", "softmax", Code::kUnsupported,
        "key 'moe_router_activation_func': only \"sigmoid\" is supported, found \"softmax\""},
       {"/num_nextn_predict_layers", 1, Code::kUnsupported,
        "key 'num_nextn_predict_layers': only 0 is supported, found 1"},
       {"/num_key_value_heads", 2, Code::kUnsupported,
        "key 'num_key_value_heads': only 4 is supported, found 2"},
       {"/new_key", 1, Code::kUnsupported,
        "unknown key(s), which may change the computation: 'new_key'"}});
  nlohmann::json odd = k3_config();
  odd["mla_use_nope"] = false;
  odd["qk_rope_head_dim"] = 15;
  expect_error([&] { read(odd); }, Code::kBadFile,
               "config.json: key 'qk_rope_head_dim': expected an even number, found 15");
}

TEST(KimiConfig, RefusesMoreThanItsOpsTake) {
  nlohmann::json groups = k3_config();
  groups["num_experts"] = 256;
  groups["num_expert_group"] = 128;
  groups["use_grouped_topk"] = true;
  groups["topk_group"] = 64;
  EXPECT_EQ(read(groups).experts.routing.groups_used, 64);
  groups["topk_group"] = 65;
  expect_error([&] { read(groups); }, Code::kBadFile,
               "config.json: key 'topk_group': expected an integer from 1 to 64, found 65");
  nlohmann::json banks = k3_config();
  banks["attn_res_block_size"] = 1;
  EXPECT_EQ(read(banks).bank_layers, 1);
  banks.erase("layer_types");
  banks.erase("mlp_layer_types");
  banks["num_hidden_layers"] = 63;
  banks["linear_attn_config"]["full_attn_layers"] = {63};
  banks["linear_attn_config"]["kda_layers"] = nlohmann::json::array();
  for (int layer = 1; layer < 63; ++layer) {
    banks["linear_attn_config"]["kda_layers"].push_back(layer);
  }
  banks["attn_res_block_size"] = 3;
  EXPECT_EQ(read(banks).bank_layers, 3);
  banks["attn_res_block_size"] = 2;
  expect_error(
      [&] { read(banks); }, Code::kUnsupported,
      "config.json: key 'attn_res_block_size': expected at least 3 for 63 layers in at most "
      "31 blocks, found 2");
}

}  // namespace
}  // namespace invar

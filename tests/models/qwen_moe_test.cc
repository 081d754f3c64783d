// The configuration keys of Qwen's mixtures of experts.
#include "models/qwen_moe.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

const nlohmann::json kKeys = {{"num_experts", 8},
                              {"num_experts_per_tok", 2},
                              {"moe_intermediate_size", 16},
                              {"shared_expert_intermediate_size", 24},
                              {"router_aux_loss_coef", 0.1}};

QwenMoe read(const nlohmann::json& keys, const QwenMoeTraits& traits,
             int64_t intermediate_size = 96) {
  ConfigReader reader("config.json", keys);
  ModelConfig config;
  config.num_hidden_layers = 4;
  config.intermediate_size = intermediate_size;
  QwenMoe m = read_qwen_moe(reader, config, traits);
  reader.refuse_unread();
  return m;
}

nlohmann::json with(const char* key, const nlohmann::json& value) {
  nlohmann::json keys = kKeys;
  keys[key] = value;
  return keys;
}

TEST(QwenMoe, ReadsSizes) {
  const QwenMoe m = read(kKeys, {.renormalize = true, .shared = true});
  EXPECT_EQ(m.experts, 8);
  EXPECT_EQ(m.top_k, 2);
  EXPECT_EQ(m.width, 16);
  EXPECT_EQ(m.shared_width, 24);
  EXPECT_TRUE(m.renormalize);
  EXPECT_EQ(m.is_sparse, std::vector<bool>(4, true));
  EXPECT_FALSE(
      read(with("norm_topk_prob", false), {.renormalize = true, .shared = true}).renormalize);
}

TEST(QwenMoe, ExpertsMayBeCalledLocal) {
  nlohmann::json keys = with("num_local_experts", 8);
  EXPECT_EQ(read(keys, {.shared = true}).experts, 8);
  keys.erase("num_experts");
  EXPECT_EQ(read(keys, {.shared = true}).experts, 8);
  expect_error([&] { read(with("num_local_experts", 4), {.shared = true}); }, Code::kBadFile,
               "config.json: key 'num_local_experts': expected 8 (as config.json: key "
               "'num_experts' states), found 4");
}

TEST(QwenMoe, SomeLayersAreDense) {
  EXPECT_EQ(read(with("decoder_sparse_step", 2), {.shared = true}).is_sparse,
            (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(read(with("mlp_only_layers", {0, 3}), {.shared = true}).is_sparse,
            (std::vector<bool>{false, true, true, false}));
}

TEST(QwenMoe, RefusesWhatDoesNotFit) {
  expect_error([&] { read(with("mlp_only_layers", {4}), {.shared = true}); }, Code::kBadFile,
               "config.json: key 'mlp_only_layers': expected layers up to 3, found 4");
  expect_error(
      [&] { read(with("mlp_only_layers", {1}), {.shared = true}, 0); }, Code::kBadFile,
      "config.json: key 'intermediate_size': expected the width of layers without experts, "
      "found nothing");
  // A family without a shared expert does not know its width.
  expect_error([&] { read(kKeys, {.shared = false}); }, Code::kUnsupported,
               "config.json: unknown key(s), which may change the computation: "
               "'shared_expert_intermediate_size'");
}

}  // namespace
}  // namespace invar

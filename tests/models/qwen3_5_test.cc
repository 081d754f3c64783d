// What makes a qwen3.5: which layers are Gated DeltaNet, partial rotary columns, and refusals.
#include "models/qwen3_5.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_hybrid_gguf.h"

namespace invar {
namespace {

TEST(Qwen35, LayersFollowTheLayerTypes) {
  const auto model = load_for_test(golden_folder("qwen3.5"));
  int delta_rules = 0;
  int attentions = 0;
  for (const auto& node : model->program.nodes) {
    delta_rules += node->name() == std::string("delta_rule") ? 1 : 0;
    attentions += node->name() == std::string("attention") ? 1 : 0;
    if (const auto* rope = dynamic_cast<const OpNode<RopeArgs>*>(node.get())) {
      EXPECT_EQ(rope->args.table.columns, 8);  // a quarter of head_dim 32
    }
  }
  EXPECT_EQ(delta_rules, 3);
  EXPECT_EQ(attentions, 1);
}

struct Refusal {
  const char* key;
  nlohmann::json value;
  Code code;
  const char* message;
};

TEST(Qwen35, RefusesWhatItCannotCompute) {
  const Refusal refusals[] = {
      {"layer_types",
       {"linear_attention", "linear_attention", "linear_attention", "sliding"},
       Code::kUnsupported,
       "key 'layer_types': expected 'linear_attention' or 'full_attention', found 'sliding'"},
      {"layer_types",
       {"full_attention"},
       Code::kBadFile,
       "key 'layer_types': expected 4 layers, found 1"},
      {"linear_num_value_heads", 3, Code::kUnsupported,
       "linear attention: expected value heads a multiple of key heads and dims multiples of 16, "
       "found 3 and 2 heads of 16 and 16"},
      {"attn_output_gate", false, Code::kUnsupported,
       "key 'attn_output_gate': only true is supported, found false"},
  };
  for (const Refusal& refusal : refusals) {
    EditedFolder folder("qwen3.5");
    folder.config[refusal.key] = refusal.value;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, refusal.code,
                 config + ": " + refusal.message);
  }
  EditedFolder folder("qwen3.5");
  folder.config["partial_rotary_factor"] = 0.01;
  folder.config["rope_parameters"]["partial_rotary_factor"] = 0.01;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": rotary columns: expected an even part of head_dim 32, found 0");
}

TEST(Qwen35, RefusesGgufValuesThatCannotBe) {
  golden_gguf::Qwen35Gguf gguf;
  gguf.writer.add<uint32_t>("qwen35.ssm.dt_b_c_rms", 1);
  TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "m.gguf";
  gguf.writer.write(path);
  expect_error([&] { load_for_test(path); }, Code::kUnsupported,
               path.string() +
                   ": unknown key(s), which may change the computation: "
                   "'qwen35.ssm.dt_b_c_rms'");
}

}  // namespace
}  // namespace invar

// What makes a qwen3.5: which layers are Gated DeltaNet, partial rotary columns, and refusals.
#include "models/qwen3_5.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_hybrid_gguf.h"
#include "models/renamed_checkpoint.h"

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

std::vector<const RopeArgs<Operand>*> ropes_of(const Model& model) {
  std::vector<const RopeArgs<Operand>*> ropes;
  for (const auto& node : model.program.nodes) {
    if (const auto* rope = dynamic_cast<const OpNode<RopeArgs>*>(node.get())) {
      ropes.push_back(&rope->args);
    }
  }
  EXPECT_EQ(ropes.size(), 2u);  // queries and keys of one layer
  return ropes;
}

TEST(Qwen35, PositionsHaveThreeStreamsWhereTheFileHasSections) {
  const auto plain = load_for_test(golden_folder("qwen3.5"));
  for (const RopeArgs<Operand>* rope : ropes_of(*plain)) {
    EXPECT_EQ(rope->attributes.sections, RopeSections{});
  }
  const auto expect_sections = [](const Model& model) {
    for (const RopeArgs<Operand>* rope : ropes_of(model)) {
      EXPECT_EQ(rope->attributes.sections, (RopeSections{2, 1, 1}));
      EXPECT_EQ(rope->positions.index, static_cast<int32_t>(PassTable::kPositionStreams));
    }
  };
  expect_sections(*load_for_test(golden_folder("qwen3.5-vl")));
  TemporaryDirectory directory;
  golden_gguf::Qwen35Gguf().writer.write(directory.path() / "dense.gguf");
  expect_sections(*load_for_test(directory.path() / "dense.gguf"));
  golden_gguf::Qwen35Gguf("qwen3.5-moe", "qwen35moe", 0)
      .writer.write(directory.path() / "experts.gguf");
  expect_sections(*load_for_test(directory.path() / "experts.gguf"));
}

// Published folders have a layer that guesses further tokens; it is left where it is, and said so.
TEST(Qwen35, SaysThatDraftLayersAreNotLoaded) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("qwen3.5-vl");
  for (const char* name : {"mtp.fc.weight", "mtp.layers.0.self_attn.q_proj.weight"}) {
    tensors.push_back({name, "BF16", {2, 2}, std::string(8, '\0')});
  }
  CheckpointFolder folder("qwen3.5-vl", tensors);
  const std::string path = folder.save().string();
  testing::internal::CaptureStderr();
  load_for_test(path);
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string line = path + ": not loaded: 2 tensors of layers that guess further tokens";
  const size_t at = log.find(line);
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find("not loaded", at + line.size()), std::string::npos);
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
      {"output_gate_type", "sigmoid", Code::kUnsupported,
       "key 'output_gate_type': only \"swish\" is supported, found \"sigmoid\""},
      {"mamba_ssm_dtype", "bfloat16", Code::kUnsupported,
       "key 'mamba_ssm_dtype': only \"float32\" is supported, found \"bfloat16\""},
      {"mlp_only_layers",
       {1},
       Code::kUnsupported,
       "key 'mlp_only_layers': only [] is supported, found [1]"},
      {"mtp_num_hidden_layers", "one", Code::kBadFile,
       "key 'mtp_num_hidden_layers': expected an integer from 0 to 4096, found \"one\""},
  };
  for (const Refusal& refusal : refusals) {
    EditedFolder folder("qwen3.5");
    folder.config[refusal.key] = refusal.value;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, refusal.code,
                 config + ": " + refusal.message);
  }
  EditedFolder folder("qwen3.5");
  folder.config["rope_parameters"]["mrope_interleaved"] = true;
  folder.config["rope_parameters"]["mrope_section"] = {11, 11, 10};
  expect_error([&] { load_for_test(folder.save()); }, Code::kBadFile,
               (folder.path() / "config.json").string() +
                   ": key 'mrope_section': expected 4 pairs in all (half the rotary columns), at "
                   "most 1 in the second section and 1 in the third, found [11,11,10]");
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

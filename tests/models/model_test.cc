// Loading from both formats, options, names and refusals.
#include "models/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Model, OfAFolder) {
  const auto model = load_for_test(golden_folder("llama"));
  EXPECT_EQ(model->name, "llama");
  EXPECT_EQ(model->family, "llama");
  EXPECT_EQ(model->config.vocab_size, 256);
  EXPECT_EQ(model->context, 4096);
  EXPECT_EQ(model->policy.activation_dtype, DType::kF32);
  EXPECT_EQ(model->policy.kv_dtype, DType::kF32);
  EXPECT_THAT(model->config.eos_token_ids, testing::Contains(2));
  EXPECT_GT(model->weight_bytes, 200000);
  EXPECT_EQ(model->program.output.columns, 256);
}

TEST(Model, OfAGgufFile) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "Tiny-Q.gguf";
  golden_as_gguf("llama-tied", {.paired_rope = true}).write(path);
  const auto model = load_for_test(path);
  EXPECT_EQ(model->name, "Tiny-Q");
  EXPECT_EQ(model->family, "llama");
  EXPECT_EQ(model->config.vocab_size, 256);  // from the embedding's rows
  EXPECT_EQ(model->policy.kv_dtype, DType::kF16);
  EXPECT_THAT(model->config.eos_token_ids, ElementsAre(2));
}

TEST(Model, Options) {
  const auto bf16 = load_for_test(golden_folder("llama"), {.dtype = DType::kBF16, .context = 77});
  EXPECT_EQ(bf16->policy.activation_dtype, DType::kBF16);
  EXPECT_EQ(bf16->policy.kv_dtype, DType::kBF16);  // follows it
  EXPECT_EQ(bf16->context, 77);
  const auto f16 = load_for_test(golden_folder("llama"), {.kv_dtype = DType::kF16});
  EXPECT_EQ(f16->program.state_buffers.front().dtype, DType::kF16);
  const auto fused = load_for_test(golden_folder("llama"));
  const auto emitted = load_for_test(golden_folder("llama"), {.fuse = false});
  EXPECT_EQ(emitted->program.nodes.size(), fused->program.nodes.size() + 8);  // two a layer
  EXPECT_EQ(logits_of(*emitted), logits_of(*fused));
}

TEST(Model, MetadataAloneGivesTheSamePlan) {
  const auto plan = load_for_test(golden_folder("qwen3"), {.metadata_only = true});
  const auto full = load_for_test(golden_folder("qwen3"));
  EXPECT_EQ(plan->program.nodes.size(), full->program.nodes.size());
  EXPECT_EQ(plan->weight_bytes, full->weight_bytes);
}

TEST(Model, LoadingReportsProgress) {
  ThreadTeam team(1);
  std::vector<int64_t> done;
  int64_t all = 0;
  load_model(golden_folder("llama"), {}, team, [&](int64_t done_bytes, int64_t total_bytes) {
    done.push_back(done_bytes);
    all = total_bytes;
  });
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), all);
}

TEST(Model, GenerationConfigAddsEndTokens) {
  EditedFolder folder("llama");
  folder.config["eos_token_id"] = 5;
  folder.write("generation_config.json", R"({"eos_token_id": [5, 9], "temperature": 1.0})");
  EXPECT_THAT(load_for_test(folder.save())->config.eos_token_ids, ElementsAre(5, 9));
}

TEST(Model, AContextThatMemoryCannotHoldIsRefusedAtOnce) {
  EditedFolder folder("llama");
  folder.config["max_position_embeddings"] = 16000000;
  const std::string config = (folder.save() / "config.json").string();
  // Filling its table would take half a minute; 4 layers of 2 times 32 columns, 16 of them rotated.
  constexpr int64_t kState = int64_t{4} * 2 * 32 * 4 * 16000000;
  constexpr int64_t kTable = int64_t{16} * 4 * 16000000;
  const auto load = [&](int64_t memory) {
    return load_for_test(folder.path(), {.context = 16000000, .memory_bytes = memory});
  };
  const int64_t weights = load_for_test(folder.path(), {.context = 64})->weight_bytes;
  const int64_t all = weights + kTable + kState;
  expect_error([&] { load(all - 1); }, Code::kExhausted,
               fmt::format("{}: context 16000000: expected at most {} bytes (the memory), found "
                           "{}: {} of weights, {} of rope tables, {} of one sequence's state",
                           config, all - 1, all, weights, kTable, kState));
}

TEST(Model, EndTokensAreOfTheVocabulary) {
  EditedFolder folder("llama");
  folder.write("generation_config.json", R"({"eos_token_id": [5, 256]})");
  const std::string generation = (folder.save() / "generation_config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               generation + ": key 'eos_token_id': expected token ids from 0 to 255, found 256");
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "m.gguf";
  const auto load_with = [&](uint32_t id) {
    golden_as_gguf("llama-tied", {.paired_rope = true, .end_token = id}).write(path);
    return load_for_test(path);
  };
  EXPECT_THAT(load_with(UINT32_MAX)->config.eos_token_ids, IsEmpty());  // files' word for none
  expect_error([&] { load_with(256); }, Code::kBadFile,
               path.string() +
                   ": key 'tokenizer.ggml.eos_token_id': expected a token id from 0 to 255, found "
                   "256");
}

TEST(Model, LayersWithoutAttentionAreRefusedWhereAllHaveIt) {
  EditedFolder folder("llama");
  folder.config["num_key_value_heads"] = {2, 0, 2, 0};
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'num_key_value_heads': expected at least 1 head in every layer, "
                   "found \"0 in layer 1\"");
}

TEST(Model, UnknownFamilies) {
  EditedFolder folder("llama");
  folder.config["model_type"] = "mystery";
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config +
                   ": model_type: expected one of kimi_k3, kimi_linear, lfm2, llama, mamba2, "
                   "qwen2, qwen3, qwen3_5_text, qwen3_5, qwen3_5_moe_text, qwen3_5_moe, qwen3_moe, "
                   "qwen3_next, found 'mystery'");
  const TemporaryDirectory directory;
  GgufWriter writer;
  writer.add_string("general.architecture", "mystery");
  const std::filesystem::path path = directory.path() / "m.gguf";
  writer.write(path);
  expect_error(
      [&] { load_for_test(path); }, Code::kUnsupported,
      path.string() +
          ": general.architecture: expected one of kimi_k3, kimi_linear, lfm2, llama, mamba2, "
          "qwen2, qwen3, qwen3_5_text, qwen3_5, qwen3_5_moe_text, qwen3_5_moe, qwen3_moe, "
          "qwen3_next, found 'mystery'");
}

TEST(Model, UnknownKeysAndTensors) {
  EditedFolder folder("llama");
  folder.config["attn_logit_softcapping"] = 50.0;
  const std::string config = (folder.save() / "config.json").string();
  expect_error(
      [&] { load_for_test(folder.path()); }, Code::kUnsupported,
      config + ": unknown key(s), which may change the computation: 'attn_logit_softcapping'");
  folder.config.erase("attn_logit_softcapping");
  folder.config["num_hidden_layers"] = 3;
  folder.save();
  try {
    load_for_test(folder.path());
    ADD_FAILURE() << "a layer too many was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("tensor 'model.layers.3.mlp.up_proj.weight' "
                                                 "[96, 64]: not used by this family"));
  }
  folder.config["num_hidden_layers"] = 5;
  folder.save();
  try {
    load_for_test(folder.path());
    ADD_FAILURE() << "a missing layer was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("tensor 'model.layers.4.mlp.up_proj.weight': "
                                                 "expected [96, 64], found nothing"));
  }
}

TEST(Model, BF16RowsDoNotFeedQuantizedMatrices) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "m.gguf";
  GgufWriter writer = golden_as_gguf("llama-tied", {});
  writer.add_zero_tensor("another.weight", GgmlType::kQ8_0, {4, 32});
  writer.write(path);
  expect_error([&] { load_for_test(path, {.dtype = DType::kBF16}); }, Code::kUnsupported,
               path.string() +
                   ": --dtype bf16: expected a model without quantized weights, found tensor "
                   "'another.weight' of type Q8_0 (its activations are int8: use f32, the "
                   "default)");
}

TEST(Model, MissingFiles) {
  const TemporaryDirectory directory;
  EXPECT_THROW(load_for_test(directory.path()), Error);              // no config.json
  EXPECT_THROW(load_for_test(directory.path() / "no.gguf"), Error);  // no file
  directory.write("config.json", R"({"model_type": "llama"})");
  EXPECT_THROW(load_for_test(directory.path()), Error);  // no weights
}

}  // namespace
}  // namespace invar

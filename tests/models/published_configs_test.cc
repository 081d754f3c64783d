// The configurations of published models beside the source tree (../shared/configs): every one of a
// family that we have is read, no key is left over, and its program is built, without weights.
#include <gtest/gtest.h>

#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

// How many operations the program of this configuration has; 0 if its family is unknown.
size_t nodes_of(const nlohmann::json& config, const std::filesystem::path& path) {
  ConfigReader reader(path.string(), config);
  const Family* family = find_family(reader.architecture(), /*gguf=*/false);
  if (family == nullptr) {
    return 0;
  }
  TemporaryDirectory directory;
  write_safetensors(directory.path(), {{"of another model", "BF16", {1}, "12"}});
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  const TensorSource source(checkpoint);
  WeightMemory memory;
  WeightStore weights(source, memory, {.metadata_only = true});
  FamilyInput input{.config = reader, .weights = weights, .policy = {}, .context = 64};
  const FamilyOutput output = family->build(input);  // the store tells what is missing at its end
  reader.refuse_unread();
  EXPECT_EQ(output.program.output.columns, output.config.vocab_size);
  return output.program.nodes.size();
}

TEST(PublishedConfigs, OfOurFamiliesAreAccepted) {
  const std::filesystem::path shared = std::string(INVAR_SOURCE_DIR) + "/../shared/configs";
  if (!std::filesystem::exists(shared)) {
    GTEST_SKIP() << "no " << shared;
  }
  int accepted = 0;
  for (const auto& folder : std::filesystem::directory_iterator(shared)) {
    const std::filesystem::path path = folder.path() / "config.json";
    if (!std::filesystem::exists(path)) {
      continue;  // the folder's own notes
    }
    SCOPED_TRACE(path);
    size_t nodes = 0;
    EXPECT_NO_THROW(nodes = nodes_of(read_json_file(path), path));
    accepted += nodes > 0 ? 1 : 0;
  }
  EXPECT_GE(accepted, 8);
}

// The shapes there are those of text parts; makers publish Qwen3.5 with more around and in them.
TEST(PublishedConfigs, WrappedQwen35IsAccepted) {
  const std::filesystem::path shared = std::string(INVAR_SOURCE_DIR) + "/../shared/configs";
  if (!std::filesystem::exists(shared)) {
    GTEST_SKIP() << "no " << shared;
  }
  for (const char* name : {"qwen3.5-0.8b", "qwen3.6-27b", "qwen3.6-35b-a3b"}) {
    SCOPED_TRACE(name);
    const std::filesystem::path path = shared / name / "config.json";
    nlohmann::json text = read_json_file(path);
    const std::string type = text["model_type"];
    text.update(nlohmann::json::parse(R"({"attn_output_gate": true, "full_attention_interval": 4,
      "mamba_ssm_dtype": "float32", "mlp_only_layers": [], "mtp_num_hidden_layers": 1,
      "mtp_use_dedicated_embeddings": false, "rope_parameters": {"mrope_interleaved": true,
      "mrope_section": [11, 11, 10], "rope_type": "default", "rope_theta": 10000000,
      "partial_rotary_factor": 0.25}})"));
    const nlohmann::json published = {{"architectures", {"Qwen3_5ForConditionalGeneration"}},
                                      {"image_token_id", 248056},
                                      {"model_type", type.substr(0, type.rfind("_text"))},
                                      {"text_config", text},
                                      {"tie_word_embeddings", text["tie_word_embeddings"]},
                                      {"transformers_version", "5.7.0"},
                                      {"video_token_id", 248057},
                                      {"vision_config", {{"depth", 12}}},
                                      {"vision_end_token_id", 248054},
                                      {"vision_start_token_id", 248053}};
    EXPECT_GT(nodes_of(published, path), 0u);
  }
}

}  // namespace
}  // namespace invar

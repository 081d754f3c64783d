// Names in both formats, norms stored as weight - 1, tied heads and the choice of a context.
#include "models/decoder_tensors.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

constexpr TensorName kNorm{"model.layers.{}.input_layernorm", "blk.{}.attn_norm"};

struct Opened {
  explicit Opened(const std::string& family)
      : checkpoint(Checkpoint::open(golden_folder(family))),
        source(checkpoint),
        weights(source, memory, {}),
        reader(family + "/config.json", read_json_file(golden_folder(family) / "config.json")) {}

  Checkpoint checkpoint;
  TensorSource source;
  WeightMemory memory;
  WeightStore weights;
  ConfigReader reader;
};

TEST(DecoderTensors, NamesAndNorms) {
  Opened opened("llama");
  FamilyInput input{.config = opened.reader, .weights = opened.weights, .policy = {}, .context = 0};
  FamilyOutput output = start_output(input, read_model_config(opened.reader));
  DecoderTensors tensors(input, output);
  EXPECT_EQ(tensors.name(kNorm, 2), "model.layers.2.input_layernorm.weight");
  EXPECT_EQ(tensors.name(kNorm, 2, ".bias"), "model.layers.2.input_layernorm.bias");
  const float plain = tensors.norm(kNorm, 2, 64).weight.row<float>(0)[5];
  // Asking again gives what was loaded first; another layer shows the addition.
  const TensorEntry* entry = opened.checkpoint.find("model.layers.3.input_layernorm.weight")->entry;
  uint16_t stored = 0;
  std::memcpy(&stored, entry->data.data() + 2 * 5, 2);
  EXPECT_EQ(tensors.norm(kNorm, 3, 64, 1).weight.row<float>(0)[5], bf16_to_f32(stored) + 1);
  EXPECT_NE(plain, 0);
}

TEST(DecoderTensors, ContextIsAsAskedOrTheDefault) {
  Opened opened("llama");
  const ModelConfig config = read_model_config(opened.reader);
  FamilyInput input{.config = opened.reader, .weights = opened.weights, .policy = {}, .context = 0};
  EXPECT_EQ(start_output(input, config).context, 4096);  // the model's own limit
  input.context = 100;
  EXPECT_EQ(start_output(input, config).context, 100);
  input.context = 4097;
  expect_error([&] { start_output(input, config); }, Code::kBadArgument,
               "llama/config.json: context: expected at most max_position_embeddings 4096, found "
               "4097");
}

}  // namespace
}  // namespace invar

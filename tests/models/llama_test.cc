// What makes a llama: optional biases, and no interleaved rope in config.json.
#include "models/llama.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"
#include "weights/tensor_bytes.h"

namespace invar {
namespace {

void expect_missing(const std::string& key, const std::string& message) {
  EditedFolder folder("llama");
  folder.config[key] = true;
  folder.save();
  try {
    load_for_test(folder.path());
    ADD_FAILURE() << key << " was ignored";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

TEST(Llama, BiasesAreAskedForWhereTheConfigurationHasThem) {
  expect_missing(
      "attention_bias",
      "tensor 'model.layers.{0..3}.self_attn.q_proj.bias': expected [64], found nothing");
  expect_missing(
      "attention_bias",
      "tensor 'model.layers.{0..3}.self_attn.o_proj.bias': expected [64], found nothing");
  expect_missing("mlp_bias",
                 "tensor 'model.layers.{0..3}.mlp.gate_proj.bias': expected [96], found nothing");
  expect_missing("mlp_bias",
                 "tensor 'model.layers.{0..3}.mlp.down_proj.bias': expected [64], found nothing");
}

TEST(Llama, RefusesInterleavedRope) {
  EditedFolder folder("llama");
  folder.config["rope_interleaved"] = true;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config + ": key 'rope_interleaved': only false is supported, found true");
}

TEST(Llama, StoredRotaryFrequenciesAreIgnored) {
  // Old checkpoints carry them; the configuration says the same.
  EditedFolder folder("llama");
  folder.save();
  std::vector<SafetensorsSpec> tensors;
  const Checkpoint checkpoint = Checkpoint::open(golden_folder("llama"));
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const auto* data = reinterpret_cast<const char*>(tensor.entry->data.data());
    tensors.push_back({.name = std::string(tensor.entry->name),
                       .dtype = "BF16",
                       .shape = tensor.entry->shape,
                       .data = std::string(data, tensor.entry->data.size())});
  }
  tensors.push_back({.name = "model.layers.1.self_attn.rotary_emb.inv_freq",
                     .dtype = "F32",
                     .shape = {8},
                     .data = f32_bytes(counted(8))});
  write_safetensors(folder.path(), tensors);
  EXPECT_EQ(logits_of(*load_for_test(folder.path())),
            logits_of(*load_for_test(golden_folder("llama"))));
}

}  // namespace
}  // namespace invar

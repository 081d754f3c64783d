// What hybrids of the Qwen families share: both spellings of a Gated DeltaNet's tensors give the
// same matrices, and layers follow the interval where no list names them.
#include "models/qwen_hybrid.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

const LinearArgs<Operand>* find_linear(const Model& model, const std::string& label) {
  for (const auto& node : model.program.nodes) {
    const auto* linear = dynamic_cast<const OpNode<LinearArgs>*>(node.get());
    if (linear != nullptr && linear->label == label) {
      return &linear->args;
    }
  }
  return nullptr;
}

std::string bytes_of(const PackedMatrix& matrix) {
  const int64_t bytes = packed_bytes(matrix.format, matrix.rows, matrix.columns);
  return {reinterpret_cast<const char*>(matrix.data), static_cast<size_t>(bytes)};
}

// `tensor` holds, for each key head in turn, some rows of each part; gives the parts.
std::vector<std::string> parts_of(const SafetensorsSpec& tensor, int64_t key_heads,
                                  const std::vector<int64_t>& rows) {
  const int64_t row_bytes = std::ssize(tensor.data) / tensor.shape[0];
  std::vector<std::string> parts(rows.size());
  int64_t at = 0;
  for (int64_t head = 0; head < key_heads; ++head) {
    for (size_t part = 0; part < rows.size(); ++part) {
      parts[part] += tensor.data.substr(at, rows[part] * row_bytes);
      at += rows[part] * row_bytes;
    }
  }
  EXPECT_EQ(at, std::ssize(tensor.data));
  return parts;
}

// The golden checkpoint, whose two tensors a layer become four.
std::vector<SafetensorsSpec> one_by_one() {
  std::vector<SafetensorsSpec> result;
  for (const SafetensorsSpec& tensor : golden_tensors("qwen3-next")) {
    const auto add = [&](const char* fused, const char* part, const std::string& data) {
      SafetensorsSpec spec = tensor;
      spec.name.replace(spec.name.find(fused), std::string(fused).size(), part);
      spec.data = data;
      spec.shape[0] = std::ssize(data) / (std::ssize(tensor.data) / tensor.shape[0]);
      result.push_back(spec);
    };
    if (tensor.name.find("in_proj_qkvz") != std::string::npos) {
      const std::vector<std::string> parts = parts_of(tensor, 2, {16, 16, 32, 32});
      add("in_proj_qkvz", "in_proj_qkv", parts[0] + parts[1] + parts[2]);
      add("in_proj_qkvz", "in_proj_z", parts[3]);
    } else if (tensor.name.find("in_proj_ba") != std::string::npos) {
      const std::vector<std::string> parts = parts_of(tensor, 2, {2, 2});
      add("in_proj_ba", "in_proj_b", parts[0]);
      add("in_proj_ba", "in_proj_a", parts[1]);
    } else {
      result.push_back(tensor);
    }
  }
  return result;
}

TEST(QwenHybrid, SpellingsOfTheLayerKindsMustAgree) {
  EditedFolder folder("qwen3-next");
  folder.config["full_attention_interval"] = 4;
  load_for_test(folder.save());
  folder.config["full_attention_interval"] = 2;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'full_attention_interval': expected no attention in layer 1 (as " +
                   config + ": key 'layer_types' states), found it there");
  folder.config.erase("layer_types");
  folder.config["full_attention_interval"] = 4;
  load_for_test(folder.save());
}

TEST(QwenHybrid, BothSpellingsGiveTheSameMatrix) {
  const auto fused = load_for_test(golden_folder("qwen3-next"));
  EditedFolder folder("qwen3-next");
  write_safetensors(folder.save(), one_by_one());
  const auto separate = load_for_test(folder.path());
  for (const std::string label : {"layer 0 qkvzba", "layer 2 qkvzba"}) {
    const LinearArgs<Operand>* a = find_linear(*fused, label);
    const LinearArgs<Operand>* b = find_linear(*separate, label);
    ASSERT_TRUE(a != nullptr && b != nullptr) << label;
    EXPECT_EQ(a->attributes.weight->rows, 128 + 64 + 4 + 4);
    EXPECT_EQ(bytes_of(*a->attributes.weight), bytes_of(*b->attributes.weight));
  }
}

TEST(QwenHybrid, EveryFourthLayerIsAttentionWhereNoListSaysSo) {
  EditedFolder folder("qwen3-next");
  folder.config.erase("layer_types");
  const auto model = load_for_test(folder.save());
  std::vector<int> attention_layers;
  for (const auto& node : model->program.nodes) {
    if (node->name() == std::string("attention")) {
      attention_layers.push_back(node->layer);
    }
  }
  EXPECT_EQ(attention_layers, std::vector<int>{3});
}

TEST(QwenHybrid, AQuarterOfTheColumnsRotatesWhereNothingIsStated) {
  for (const std::string family : {"qwen3-next", "qwen3.5", "qwen3.5-moe"}) {
    EditedFolder folder(family);
    const int64_t columns = load_for_test(folder.save())->config.rotary_columns;
    folder.config.erase("partial_rotary_factor");
    folder.config["rope_parameters"].erase("partial_rotary_factor");
    const auto model = load_for_test(folder.save());
    EXPECT_EQ(model->config.rotary_columns, model->config.head_dim / 4) << family;
    EXPECT_EQ(model->config.rotary_columns, columns) << family;
  }
}

TEST(QwenHybrid, RefusesMoreTapsThanTheConvolutionTakes) {
  EditedFolder folder("qwen3.5");
  folder.config["linear_conv_kernel_dim"] = 17;
  const std::string config = (folder.save() / "config.json").string();
  expect_error(
      [&] { load_for_test(folder.path()); }, Code::kBadFile,
      config + ": key 'linear_conv_kernel_dim': expected an integer from 2 to 16, found 17");
}

}  // namespace
}  // namespace invar

// Kimi Linear's checkpoints: all problems in one message.
#include "models/kimi_linear.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

TEST(KimiLinear, NamesMissingAndUnusedTensorsTogether) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("kimi-linear");
  rename_all(tensors, "layers.3.self_attn.kv_b_proj", "layers.3.self_attn.kv_c_proj");
  rename_all(tensors, "layers.1.self_attn.A_log", "layers.1.self_attn.B_log");
  CheckpointFolder folder("kimi-linear", tensors);
  const std::string path = folder.save().string();
  expect_error([&] { load_for_test(path); }, Code::kBadFile,
               path +
                   ": tensor 'model.layers.1.self_attn.A_log': expected [4], found nothing; "
                   "tensor 'model.layers.3.self_attn.kv_b_proj.weight': expected [128, 32], found "
                   "nothing; "
                   "tensor 'model.layers.1.self_attn.B_log' [1, 1, 4, 1]: not used by this family; "
                   "tensor 'model.layers.3.self_attn.kv_c_proj.weight' [128, 32]: not used by this "
                   "family");
}

}  // namespace
}  // namespace invar

// The golden checkpoints of hybrid families as published GGUF files: names, and values that such
// files change (norms, A, heads in another order), against the reference logits.
#include <gtest/gtest.h>

#include "engine/verify.h"
#include "models/golden_hybrid_gguf.h"

namespace invar {
namespace {

VerifyResult verify_gguf(const GgufWriter& writer, const std::string& family) {
  TemporaryDirectory directory;
  writer.write(directory.path() / "m.gguf");
  ThreadTeam team(available_processors());
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  const std::unique_ptr<const Model> model =
      load_model(directory.path() / "m.gguf", {.kv_dtype = DType::kF32}, team, {});
  Runner runner({.program = &model->program, .backend = backend.get(), .team = &team},
                {.context_positions = model->context, .logit_rows_max = 512});
  return verify(runner, read_golden(golden_folder(family)));
}

void expect_passes(const VerifyResult& result, const std::string& family) {
  EXPECT_TRUE(passes(result, DType::kF32)) << describe(family, result, DType::kF32);
  EXPECT_LT(result.rel_l2, 1e-5);
}

TEST(HybridGguf, Qwen35) {
  golden_gguf::Qwen35Gguf gguf;
  expect_passes(verify_gguf(gguf.writer, "qwen3.5"), "qwen3.5");
}

// Newer files list the recurrent layers, and have layers that guess further tokens.
TEST(HybridGguf, Qwen35WithDraftLayer) {
  golden_gguf::Qwen35Gguf gguf(/*draft_layers=*/1);
  gguf.writer.add<uint32_t>("qwen35.nextn_predict_layers", 1);
  const bool recurrent[] = {true, true, true, false, false};
  gguf.writer.add_array<bool>("qwen35.attention.recurrent_layers", recurrent);
  gguf.writer.add_zero_tensor("blk.4.attn_q.weight", GgmlType::kF32, {256, 64});
  gguf.writer.add_zero_tensor("blk.4.nextn.eh_proj.weight", GgmlType::kF32, {64, 128});
  expect_passes(verify_gguf(gguf.writer, "qwen3.5"), "qwen3.5");
}

TEST(HybridGguf, Qwen35WithExperts) {
  golden_gguf::Qwen35Gguf gguf("qwen3.5-moe", "qwen35moe", 0);
  expect_passes(verify_gguf(gguf.writer, "qwen3.5-moe"), "qwen3.5-moe");
}

TEST(HybridGguf, Lfm2) {
  expect_passes(verify_gguf(golden_gguf::lfm2_as_gguf(), "lfm2"), "lfm2");
}

}  // namespace
}  // namespace invar

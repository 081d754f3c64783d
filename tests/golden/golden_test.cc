// Every family of tests/golden against the logits of its reference implementation, in f32 and bf16.
// To add a family: its folder, and one line here.
#include <gtest/gtest.h>

#include <filesystem>

#include "backend/registry.h"
#include "engine/verify.h"
#include "models/model.h"

namespace invar {
namespace {

struct GoldenCase {
  std::string family;
  DType dtype;
};

std::string name_of(const testing::TestParamInfo<GoldenCase>& tested) {
  std::string name = tested.param.family + "_" + std::string(dtype_name(tested.param.dtype));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class GoldenTest : public testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenTest, LogitsAgree) {
  const std::filesystem::path directory =
      std::filesystem::path(INVAR_SOURCE_DIR) / "tests/golden" / GetParam().family;
  ThreadTeam team(available_processors());
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  const std::unique_ptr<const Model> model =
      load_model(directory, {.dtype = GetParam().dtype}, team, {});
  Runner runner({.program = &model->program, .backend = backend.get(), .team = &team},
                {.context_positions = model->context, .logit_rows_max = 512});
  const VerifyResult result = verify(runner, read_golden(directory));
  EXPECT_TRUE(passes(result, GetParam().dtype))
      << describe(GetParam().family, result, GetParam().dtype);
  // Near the reference, and not just inside the limits: f32 differs by rounding alone.
  if (GetParam().dtype == DType::kF32) {
    EXPECT_LT(result.rel_l2, 1e-5);
  }
  EXPECT_GE(result.greedy_counted, 10);
}

std::vector<GoldenCase> golden_cases() {
  std::vector<GoldenCase> cases;
  for (const char* family : {"kimi-k3", "kimi-k3-mxfp4", "kimi-k3-odd", "kimi-linear", "lfm2",
                             "llama", "llama-tied", "mamba2", "qwen2", "qwen3", "qwen3-moe",
                             "qwen3-next", "qwen3.5", "qwen3.5-moe", "qwen3.5-vl"}) {
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      cases.push_back({.family = family, .dtype = dtype});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Families, GoldenTest, testing::ValuesIn(golden_cases()), &name_of);

}  // namespace
}  // namespace invar

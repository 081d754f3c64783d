// The same weights from both formats give the same bytes; heads, contexts and rope factors.
#include "models/dense_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats/expect_error.h"
#include "models/golden_model.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

struct FormatCase {
  std::string family;
  bool paired_rope = false;  // as this family's GGUF files store q and k
};

class BothFormats : public testing::TestWithParam<FormatCase> {};

TEST_P(BothFormats, GiveEqualBytes) {
  const auto& [family, paired_rope] = GetParam();
  EditedFolder folder(family);
  // A scaling is another thing in the two formats.
  folder.config["rope_parameters"] = {
      {"rope_theta", folder.config["rope_parameters"]["rope_theta"]}, {"rope_type", "default"}};
  folder.save();
  const TemporaryDirectory directory;
  for (const bool f32_matrices : {false, true}) {
    const std::filesystem::path path = directory.path() / "m.gguf";
    golden_as_gguf(family, {.f32_matrices = f32_matrices, .paired_rope = paired_rope}).write(path);
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      const ModelOptions options{.dtype = dtype, .kv_dtype = dtype};
      const auto expected = logits_of(*load_for_test(folder.path(), options));
      EXPECT_EQ(logits_of(*load_for_test(path, options)), expected)
          << dtype_name(dtype) << (f32_matrices ? " F32" : " BF16");
    }
  }
  // The order of the rows matters: the other one gives other logits.
  const std::filesystem::path path = directory.path() / "other.gguf";
  golden_as_gguf(family, {.paired_rope = !paired_rope}).write(path);
  const ModelOptions options{.dtype = DType::kF32, .kv_dtype = DType::kF32};
  EXPECT_NE(logits_of(*load_for_test(path, options)),
            logits_of(*load_for_test(folder.path(), options)));
}

std::string name_of(const testing::TestParamInfo<FormatCase>& tested) {
  std::string name = tested.param.family;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Families, BothFormats,
                         testing::Values(FormatCase{"llama", true}, FormatCase{"llama-tied", true},
                                         FormatCase{"qwen2", false}, FormatCase{"qwen3", false}),
                         &name_of);

TEST(DenseDecoder, RopeFactorsDivideFrequencies) {
  const TemporaryDirectory directory;
  const auto logits_with = [&](std::vector<float> factors) {
    const std::filesystem::path path = directory.path() / "m.gguf";
    golden_as_gguf("llama-tied", {.paired_rope = true, .rope_factors = std::move(factors)})
        .write(path);
    return logits_of(*load_for_test(path));
  };
  const std::vector<float> plain = logits_with({});
  EXPECT_EQ(logits_with(std::vector<float>(8, 1.0f)), plain);
  std::vector<float> factors(8, 1.0f);
  factors[7] = 8.0f;
  EXPECT_NE(logits_with(factors), plain);
}

TEST(DenseDecoder, WrongRopeFactorsAreRefused) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "m.gguf";
  const auto refuse = [&](std::vector<float> factors, const std::string& message) {
    golden_as_gguf("llama-tied", {.paired_rope = true, .rope_factors = std::move(factors)})
        .write(path);
    expect_error([&] { load_for_test(path); }, Code::kBadFile,
                 path.string() + ": tensor 'rope_freqs.weight': " + message);
  };
  refuse(std::vector<float>(4, 1.0f), "expected [8], found [4]");
  refuse(std::vector<float>(16, 1.0f), "expected [8], found [16]");
  const std::vector<std::pair<float, std::string>> wrong = {
      {0.0f, "0"}, {-1.0f, "-1"}, {NAN, "nan"}, {INFINITY, "inf"}, {1e30f, "1e+30"}};
  for (const auto& [factor, shown] : wrong) {
    std::vector<float> factors(8, 1.0f);
    factors[3] = factor;
    refuse(factors, "factor 3: expected 1e-06 to 1000000, found " + shown);
  }
}

TEST(DenseDecoder, ATiedHeadMayBeStoredTwice) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("llama-tied");
  const auto table =
      std::ranges::find(tensors, "model.embed_tokens.weight", &SafetensorsSpec::name);
  ASSERT_NE(table, tensors.end());
  SafetensorsSpec copy = *table;
  copy.name = "lm_head.weight";
  tensors.push_back(copy);
  CheckpointFolder folder("llama-tied", tensors);
  EXPECT_EQ(logits_of(*load_for_test(folder.save())),
            logits_of(*load_for_test(golden_folder("llama-tied"))));
}

TEST(DenseDecoder, ATiedHeadThatIsAnotherMatrixIsRefused) {
  EditedFolder folder("llama");
  folder.config["tie_word_embeddings"] = true;
  const std::filesystem::path path = folder.save();
  expect_error([&] { load_for_test(path); }, Code::kBadFile,
               (path / "model.safetensors").string() +
                   ": tensor 'lm_head.weight': expected the bytes of 'model.embed_tokens.weight' "
                   "(tie_word_embeddings is true), found others");
}

TEST(DenseDecoder, ContextsEndWhereTheModelSays) {
  const std::string label = (golden_folder("llama") / "config.json").string();
  EXPECT_EQ(load_for_test(golden_folder("llama"), {.context = 4096})->context, 4096);
  expect_error([] { load_for_test(golden_folder("llama"), {.context = 4097}); }, Code::kBadArgument,
               label + ": context: expected at most max_position_embeddings 4096, found 4097");
  // Without a wish, a model of a long context gets a usual one.
  EditedFolder folder("llama");
  folder.config["max_position_embeddings"] = 131072;
  EXPECT_EQ(load_for_test(folder.save())->context, 8192);
}

}  // namespace
}  // namespace invar

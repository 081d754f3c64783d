// Which changes to a model's files and policy show in the fingerprint.
#include "server/fingerprint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/numerics.h"
#include "formats/gguf_writer.h"
#include "formats/safetensors.h"

namespace invar {
namespace {

class FingerprintTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write_config(const std::string& text) const {
    std::ofstream(folder_ / "config.json") << text;
  }
  void write_tensor(const std::string& name, const std::vector<float>& data) const {
    SafetensorsWriter writer;
    writer.add_f32(name, {static_cast<int64_t>(data.size())}, data);
    writer.write(folder_ / "model.safetensors");
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("fingerprint_" + std::to_string(getpid()));
};

TEST_F(FingerprintTest, AFolderIsItsConfigurationAndTensors) {
  write_config("{}");
  write_tensor("a", {1, 2, 3, 4});
  const uint64_t first = model_digest(folder_);
  EXPECT_EQ(model_digest(folder_), first);
  write_config("{ }");
  EXPECT_NE(model_digest(folder_), first);
  write_config("{}");
  EXPECT_EQ(model_digest(folder_), first);
  write_tensor("b", {1, 2, 3, 4});
  EXPECT_NE(model_digest(folder_), first);
  write_tensor("a", {1, 2, 3, 5});
  EXPECT_NE(model_digest(folder_), first);
}

TEST_F(FingerprintTest, AGgufFileIsItsHeaderAndTensors) {
  const std::filesystem::path path = folder_ / "model.gguf";
  const auto digest = [&](const char* name, const std::string& data) {
    GgufWriter writer;
    writer.add_string("general.name", name);
    writer.add_tensor({.name = "a", .shape = {2}, .data = data});
    const std::string bytes = writer.build();
    std::ofstream(path, std::ios::binary) << bytes;
    return model_digest(path);
  };
  const uint64_t first = digest("one", "abcdefgh");
  EXPECT_EQ(digest("one", "abcdefgh"), first);
  EXPECT_NE(digest("two", "abcdefgh"), first);
  EXPECT_NE(digest("one", "abcdefgx"), first);
}

TEST_F(FingerprintTest, GoldenModelsDiffer) {
  const std::filesystem::path golden = std::filesystem::path(INVAR_SOURCE_DIR) / "tests/golden";
  EXPECT_NE(model_digest(golden / "llama"), model_digest(golden / "llama-tied"));
}

TEST(Fingerprint, NamesModelPolicyAndNumerics) {
  Model model;
  model.context = 100;
  const std::string first = system_fingerprint(0x12ab, model, 100);
  EXPECT_EQ(first.substr(0, 18), "m00000000000012ab-");
  EXPECT_NE(first.find(fmt::format("-n{}", kNumericsVersion)), std::string::npos);
  EXPECT_EQ(system_fingerprint(0x12ab, model, 100), first);
  model.context = 101;
  EXPECT_NE(system_fingerprint(0x12ab, model, 100), first);
  model.context = 100;
  EXPECT_NE(system_fingerprint(0x12ab, model, 99), first);
  model.policy.kv_dtype = DType::kF16;
  EXPECT_NE(system_fingerprint(0x12ab, model, 100), first);
}

}  // namespace
}  // namespace invar

// Comparison with a reference, its verdicts, and the refusals of a golden folder that is not sound.
#include "engine/verify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/fake_runner.h"
#include "formats/expect_error.h"
#include "formats/safetensors.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

constexpr int64_t kVocabulary = 11;

// The tensors of both files, sound until a test changes them.
struct Folder {
  std::vector<int32_t> input_ids = {1, 2, 3};
  std::vector<float> logits;
  std::vector<int32_t> greedy;
  std::vector<float> margin = {1.0f, 0.5f, 0.001f};
  std::vector<int32_t> long_input_ids;
  std::vector<int32_t> positions = {0, 40, 79};
  std::vector<float> long_logits;
  int64_t vocabulary = kVocabulary;

  Folder() {
    for (int32_t i = 0; i < 80; ++i) {
      long_input_ids.push_back(i * 3 % 11);
    }
    for (size_t row = 0; row < input_ids.size(); ++row) {
      append(logits, {input_ids.data(), row + 1});
    }
    std::vector<int32_t> prompt = input_ids;
    for (size_t step = 0; step < margin.size(); ++step) {
      const std::vector<float> last = FakeRunner::logits_after(prompt, kVocabulary);
      greedy.push_back(
          static_cast<int32_t>(std::max_element(last.begin(), last.end()) - last.begin()));
      prompt.push_back(greedy.back());
    }
    for (const int32_t position : positions) {
      append(long_logits, {long_input_ids.data(), static_cast<size_t>(position) + 1});
    }
  }

  static void append(std::vector<float>& rows, std::span<const int32_t> prefix) {
    const std::vector<float> row = FakeRunner::logits_after(prefix, kVocabulary);
    rows.insert(rows.end(), row.begin(), row.end());
  }

  void write(const std::filesystem::path& path) const {
    SafetensorsWriter brief;
    const auto rows = std::ssize(input_ids);
    brief.add_i32("input_ids", {rows}, input_ids);
    brief.add_f32("logits", {rows, vocabulary}, logits);
    brief.add_i32("greedy", {std::ssize(greedy)}, greedy);
    brief.add_f32("margin", {std::ssize(margin)}, margin);
    brief.write(path / "golden.safetensors");
    SafetensorsWriter lengthy;
    lengthy.add_i32("input_ids", {std::ssize(long_input_ids)}, long_input_ids);
    lengthy.add_i32("positions", {std::ssize(positions)}, positions);
    lengthy.add_f32("logits", {std::ssize(positions), vocabulary}, long_logits);
    lengthy.write(path / "golden_long.safetensors");
  }
};

class VerifyTest : public testing::Test {
 protected:
  GoldenReference read(const Folder& folder) {
    folder.write(directory_.path());
    return read_golden(directory_.path());
  }
  VerifyResult verify_folder(const Folder& folder) {
    FakeRunner runner({.context_positions = 128, .rows_max = 32, .logit_rows_max = 8}, kVocabulary);
    return verify(runner, read(folder));
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  TemporaryDirectory directory_;
};

TEST_F(VerifyTest, EqualLogitsPass) {
  const VerifyResult result = verify_folder({});
  EXPECT_EQ(result.max_abs, 0);
  EXPECT_EQ(result.long_max_abs, 0);
  EXPECT_EQ(result.rel_l2, 0);
  EXPECT_EQ(result.greedy_equal, 2);
  EXPECT_EQ(result.greedy_counted, 2);  // the third margin is too small
  EXPECT_TRUE(passes(result, DType::kF32));
  EXPECT_TRUE(passes(result, DType::kBF16));
  EXPECT_EQ(describe("tiny", result, DType::kF32),
            "verify tiny: max_abs 0 rel_l2 0 greedy 2/2 long max_abs 0 PASS");
}

TEST_F(VerifyTest, DifferencesFail) {
  Folder folder;
  folder.logits[kVocabulary + 4] += 0.25f;
  folder.long_logits[2 * kVocabulary] -= 0.125f;
  VerifyResult result = verify_folder(folder);
  EXPECT_EQ(result.max_abs, 0.25);
  EXPECT_EQ(result.long_max_abs, 0.125);
  EXPECT_FALSE(passes(result, DType::kF32));
  EXPECT_TRUE(describe("tiny", result, DType::kF32).ends_with(" long max_abs 0.125 FAIL"));

  folder = Folder();
  folder.greedy[1] = (folder.greedy[1] + 1) % 11;  // the reference's tokens are fed anyway
  result = verify_folder(folder);
  EXPECT_EQ(result.greedy_equal, 1);
  EXPECT_FALSE(passes(result, DType::kF32));
}

TEST_F(VerifyTest, BF16IsJudgedByMostRows) {
  // One row of six differs: the 90th percentile is the largest of six.
  Folder folder;
  for (float& logit : folder.long_logits) {
    logit *= 1.02f;
  }
  VerifyResult result = verify_folder(folder);
  EXPECT_NEAR(result.rel_l2, 0.0196, 0.0005);
  EXPECT_TRUE(passes(result, DType::kBF16));
  EXPECT_FALSE(passes(result, DType::kF32));
  for (float& logit : folder.long_logits) {
    logit *= 1.02f;
  }
  result = verify_folder(folder);
  EXPECT_FALSE(passes(result, DType::kBF16));
}

TEST_F(VerifyTest, NaNFails) {
  Folder folder;
  folder.logits[3] = NAN;
  const VerifyResult result = verify_folder(folder);
  EXPECT_TRUE(result.has_nan);
  EXPECT_FALSE(passes(result, DType::kF32));
  EXPECT_FALSE(passes(result, DType::kBF16));
  EXPECT_EQ(describe("tiny", result, DType::kF32),
            "verify tiny: max_abs nan rel_l2 nan greedy 2/2 long max_abs nan FAIL");
}

TEST_F(VerifyTest, Refusals) {
  const std::string brief = path("golden.safetensors");
  const std::string lengthy = path("golden_long.safetensors");
  const auto refuse = [&](auto change, const std::string& message) {
    Folder folder;
    change(folder);
    expect_error([&] { read(folder); }, Code::kBadFile, message);
  };
  refuse([](Folder& folder) { folder.margin.pop_back(); },
         brief + ": tensor 'margin': axis 0: expected 3, found 2");
  refuse(
      [](Folder& folder) {
        folder.positions = {0, 40, 40};
      },
      lengthy + ": tensor 'positions': expected ascending ones below 80, found 40");
  refuse(
      [](Folder& folder) {
        folder.positions = {0, 40, 80};
      },
      lengthy + ": tensor 'positions': expected ascending ones below 80, found 80");
  refuse(
      [](Folder& folder) {
        folder.positions = {-1, 40, 79};
      },
      lengthy + ": tensor 'positions': expected ascending ones below 80, found -1");

  refuse([](Folder& folder) { folder.margin[1] = NAN; },
         brief + ": tensor 'margin': expected finite numbers, found nan at 1");
  refuse([](Folder& folder) { folder.margin[2] = INFINITY; },
         brief + ": tensor 'margin': expected finite numbers, found inf at 2");
  const std::string none = ": expected at least one number, found none";
  refuse(
      [](Folder& folder) {
        folder.greedy.clear();
        folder.margin.clear();
      },
      brief + ": tensor 'greedy'" + none);
  refuse(
      [](Folder& folder) {
        folder.input_ids.clear();
        folder.logits.clear();
      },
      brief + ": tensor 'input_ids'" + none);
  refuse(
      [](Folder& folder) {
        folder.positions.clear();
        folder.long_logits.clear();
      },
      lengthy + ": tensor 'positions'" + none);

  SafetensorsWriter writer;
  const std::vector<float> floats = {1};
  writer.add_f32("input_ids", {1}, floats);
  writer.write(brief);
  expect_error([&] { read_golden(directory_.path()); }, Code::kBadFile,
               brief + ": tensor 'input_ids': expected I32 with 1 axes, found F32 with 1");
  SafetensorsWriter without;
  without.add_f32("other", {1}, floats);
  without.write(brief);
  expect_error([&] { read_golden(directory_.path()); }, Code::kBadFile,
               brief + ": tensor 'input_ids': expected one, found nothing");
}

TEST_F(VerifyTest, RefusesIdsOutsideTheVocabulary) {
  const auto refuse = [&](auto change, const std::string& file, const std::string& name, int id) {
    Folder folder;
    change(folder);
    expect_error([&] { read(folder); }, Code::kBadFile,
                 fmt::format("{}: tensor '{}': expected token ids from 0 to {}, found {}",
                             path(file), name, kVocabulary - 1, id));
  };
  refuse([](Folder& folder) { folder.input_ids[1] = kVocabulary; }, "golden.safetensors",
         "input_ids", kVocabulary);
  refuse([](Folder& folder) { folder.greedy[1] = -1; }, "golden.safetensors", "greedy", -1);
  refuse([](Folder& folder) { folder.long_input_ids[79] = kVocabulary; }, "golden_long.safetensors",
         "input_ids", kVocabulary);
}

TEST_F(VerifyTest, AnotherVocabularyIsRefused) {
  FakeRunner runner({.context_positions = 128}, kVocabulary + 1);
  const GoldenReference reference = read({});
  expect_error([&] { verify(runner, reference); }, Code::kBadFile,
               "golden logits: expected a vocabulary of 12, found 11");
}

}  // namespace
}  // namespace invar

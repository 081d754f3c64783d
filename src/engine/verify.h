// Compares a runner's logits with a reference implementation's, as stored in a golden folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/runner.h"

namespace invar {

// golden.safetensors and golden_long.safetensors of one folder.
struct GoldenReference {
  std::vector<int32_t> input_ids;
  std::vector<float> logits;  // [input_ids, vocabulary]
  std::vector<int32_t> greedy;
  std::vector<float> margin;  // as long as greedy
  std::vector<int32_t> long_input_ids;
  std::vector<int32_t> long_positions;  // ascending
  std::vector<float> long_logits;       // [long_positions, vocabulary]
  int64_t vocabulary = 0;
};

// Throws kBadFile with file, tensor, expected and found.
GoldenReference read_golden(const std::filesystem::path& directory);

struct VerifyResult {
  double max_abs = 0;       // short prompt
  double long_max_abs = 0;  // long prompt
  double rel_l2 = 0;        // 90th percentile over all rows of |ours - ref| / |ref|
  int64_t greedy_equal = 0;
  int64_t greedy_counted = 0;  // steps whose margin exceeds kGreedyMargin
  bool has_nan = false;
};

inline constexpr double kGreedyMargin = 0.01;
inline constexpr double kF32Tolerance = 2e-3;
inline constexpr double kBF16Tolerance = 3e-2;

VerifyResult verify(PassRunner& runner, const GoldenReference& reference);

// f32: both differences within kF32Tolerance and every counted greedy step equal. bf16: rel_l2
// below kBF16Tolerance. A NaN fails.
bool passes(const VerifyResult& result, DType dtype);

// "verify NAME: max_abs X rel_l2 Y greedy A/B long max_abs Z PASS|FAIL"
std::string describe(const std::string& name, const VerifyResult& result, DType dtype);

}  // namespace invar

// See verify.h.
#include "engine/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/error.h"
#include "engine/timeline.h"
#include "formats/safetensors.h"

namespace invar {
namespace {

template <class T>
std::vector<T> read_tensor(const SafetensorsFile& file, std::string_view name,
                           std::vector<int64_t> shape) {
  const SafetensorsType type =
      std::is_same_v<T, float> ? SafetensorsType::kF32 : SafetensorsType::kI32;
  const TensorEntry* entry = file.find(name);
  if (entry == nullptr) {
    fail(Code::kBadFile, "{}: tensor '{}': expected one, found nothing", file.label(), name);
  }
  if (entry->type != type || entry->shape.size() != shape.size()) {
    fail(Code::kBadFile, "{}: tensor '{}': expected {} with {} axes, found {} with {}",
         file.label(), name, safetensors_type_name(type), shape.size(),
         safetensors_type_name(entry->type), entry->shape.size());
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0 && shape[i] != entry->shape[i]) {
      fail(Code::kBadFile, "{}: tensor '{}': axis {}: expected {}, found {}", file.label(), name, i,
           shape[i], entry->shape[i]);
    }
  }
  std::vector<T> values(entry->data.size() / sizeof(T));
  // Not memcpy: a tensor may be empty, and has no address then.
  std::ranges::copy(entry->data, std::as_writable_bytes(std::span(values)).begin());
  return values;
}

void expect_some(const SafetensorsFile& file, std::string_view name, size_t found) {
  if (found == 0) {
    fail(Code::kBadFile, "{}: tensor '{}': expected at least one number, found none", file.label(),
         name);
  }
}

// Collects differences of rows from the reference.
class Comparison {
 public:
  // Returns the row's largest absolute difference.
  double add(std::span<const float> ours, std::span<const float> reference) {
    double max_abs = 0;
    double difference = 0;
    double norm = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
      const double d = static_cast<double>(ours[i]) - reference[i];
      has_nan_ = has_nan_ || std::isnan(d);
      max_abs = std::max(max_abs, std::abs(d));
      difference += d * d;
      norm += static_cast<double>(reference[i]) * reference[i];
    }
    ratios_.push_back(std::sqrt(difference) / std::sqrt(norm));
    return max_abs;
  }

  double percentile90() {
    std::sort(ratios_.begin(), ratios_.end());
    const auto rank = static_cast<size_t>(std::ceil(0.9 * static_cast<double>(ratios_.size())));
    return ratios_.empty() ? 0 : ratios_[std::max<size_t>(rank, 1) - 1];
  }

  bool has_nan() const { return has_nan_; }

 private:
  std::vector<double> ratios_;
  bool has_nan_ = false;
};

void expect_ids(const SafetensorsFile& file, std::string_view name, std::span<const int32_t> ids,
                int64_t vocabulary) {
  for (const int32_t id : ids) {
    if (id < 0 || id >= vocabulary) {
      fail(Code::kBadFile, "{}: tensor '{}': expected token ids from 0 to {}, found {}",
           file.label(), name, vocabulary - 1, id);
    }
  }
}

}  // namespace

GoldenReference read_golden(const std::filesystem::path& directory) {
  const SafetensorsFile brief = SafetensorsFile::open(directory / "golden.safetensors");
  GoldenReference golden;
  golden.input_ids = read_tensor<int32_t>(brief, "input_ids", {-1});
  expect_some(brief, "input_ids", golden.input_ids.size());
  const auto prompt = static_cast<int64_t>(golden.input_ids.size());
  golden.logits = read_tensor<float>(brief, "logits", {prompt, -1});
  golden.vocabulary = brief.find("logits")->shape[1];
  golden.greedy = read_tensor<int32_t>(brief, "greedy", {-1});
  expect_some(brief, "greedy", golden.greedy.size());
  expect_ids(brief, "input_ids", golden.input_ids, golden.vocabulary);
  expect_ids(brief, "greedy", golden.greedy, golden.vocabulary);
  golden.margin = read_tensor<float>(brief, "margin", {static_cast<int64_t>(golden.greedy.size())});
  for (size_t i = 0; i < golden.margin.size(); ++i) {
    if (!std::isfinite(golden.margin[i])) {
      fail(Code::kBadFile, "{}: tensor 'margin': expected finite numbers, found {} at {}",
           brief.label(), golden.margin[i], i);
    }
  }

  const SafetensorsFile lengthy = SafetensorsFile::open(directory / "golden_long.safetensors");
  golden.long_input_ids = read_tensor<int32_t>(lengthy, "input_ids", {-1});
  expect_ids(lengthy, "input_ids", golden.long_input_ids, golden.vocabulary);
  golden.long_positions = read_tensor<int32_t>(lengthy, "positions", {-1});
  expect_some(lengthy, "positions", golden.long_positions.size());
  const auto positions = static_cast<int64_t>(golden.long_positions.size());
  golden.long_logits = read_tensor<float>(lengthy, "logits", {positions, golden.vocabulary});
  const auto length = static_cast<int64_t>(golden.long_input_ids.size());
  for (int64_t i = 0; i < positions; ++i) {
    const int32_t previous = i == 0 ? -1 : golden.long_positions[i - 1];
    if (golden.long_positions[i] <= previous || golden.long_positions[i] >= length) {
      fail(Code::kBadFile, "{}: tensor 'positions': expected ascending ones below {}, found {}",
           lengthy.label(), length, golden.long_positions[i]);
    }
  }
  return golden;
}

VerifyResult verify(PassRunner& runner, const GoldenReference& reference) {
  if (runner.vocabulary() != reference.vocabulary) {
    fail(Code::kBadFile, "golden logits: expected a vocabulary of {}, found {}",
         runner.vocabulary(), reference.vocabulary);
  }
  VerifyResult result;
  Comparison comparison;
  const auto vocabulary = static_cast<size_t>(reference.vocabulary);
  {
    Timeline timeline(runner);
    std::vector<float> last;
    timeline.append({.token_ids = reference.input_ids, .rows = LogitRows::kAll},
                    [&](int64_t position, std::span<const float> row) {
                      const std::span<const float> expected(
                          reference.logits.data() + position * vocabulary, vocabulary);
                      result.max_abs = std::max(result.max_abs, comparison.add(row, expected));
                      last.assign(row.begin(), row.end());
                    });
    for (size_t step = 0; step < reference.greedy.size(); ++step) {
      const auto best = std::max_element(last.begin(), last.end()) - last.begin();
      if (reference.margin[step] > kGreedyMargin) {
        result.greedy_counted += 1;
        result.greedy_equal += best == reference.greedy[step] ? 1 : 0;
      }
      last = timeline.append({.token_ids = {&reference.greedy[step], 1}});
    }
  }
  Timeline timeline(runner);
  size_t next = 0;
  timeline.append(
      {.token_ids = reference.long_input_ids, .rows = LogitRows::kAll},
      [&](int64_t position, std::span<const float> row) {
        if (next == reference.long_positions.size() || position != reference.long_positions[next]) {
          return;
        }
        const std::span<const float> expected(reference.long_logits.data() + next * vocabulary,
                                              vocabulary);
        result.long_max_abs = std::max(result.long_max_abs, comparison.add(row, expected));
        next += 1;
      });
  result.rel_l2 = comparison.percentile90();
  result.has_nan = comparison.has_nan();
  return result;
}

bool passes(const VerifyResult& result, DType dtype) {
  if (result.has_nan) {
    return false;
  }
  if (dtype == DType::kBF16) {
    return result.rel_l2 < kBF16Tolerance;
  }
  return result.max_abs <= kF32Tolerance && result.long_max_abs <= kF32Tolerance &&
         result.greedy_equal == result.greedy_counted;
}

std::string describe(const std::string& name, const VerifyResult& result, DType dtype) {
  return fmt::format("verify {}: max_abs {:.3g} rel_l2 {:.3g} greedy {}/{} long max_abs {:.3g} {}",
                     name, result.has_nan ? NAN : result.max_abs,
                     result.has_nan ? NAN : result.rel_l2, result.greedy_equal,
                     result.greedy_counted, result.has_nan ? NAN : result.long_max_abs,
                     passes(result, dtype) ? "PASS" : "FAIL");
}

}  // namespace invar

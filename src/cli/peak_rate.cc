// See peak_rate.h. All operands are zero: the kernels' time does not depend on the values.
#include "cli/peak_rate.h"

#include <algorithm>
#include <chrono>

#include "core/anonymous_memory.h"

namespace invar {
namespace {

// 128 KiB of f32 weights a lane, and as much of x: both fit a second-level cache.
constexpr int64_t kPanelsOfLane = 4;
constexpr int64_t kColumns = 512;
constexpr int64_t kRows = 64;
constexpr int kProducts = 50;  // of a sweep
constexpr int kSweeps = 6;

}  // namespace

double measure_peak_rate(const Backend& backend, ThreadTeam& team, WeightFormat format) {
  const int64_t outputs = team.lanes() * kPanelsOfLane * kPanelRows;
  const DType x_dtype = weight_format_info(format).quantized ? DType::kQ8Row : DType::kF32;
  const AnonymousMemory weight(static_cast<size_t>(packed_bytes(format, outputs, kColumns)) + 64,
                               "measuring peaks");
  const AnonymousMemory x(static_cast<size_t>(kRows * row_bytes(x_dtype, kColumns)) + 64,
                          "measuring peaks");
  const AnonymousMemory out(static_cast<size_t>(kRows * outputs) * 4, "measuring peaks");
  const PackedMatrix matrix{
      .format = format, .rows = outputs, .columns = kColumns, .data = weight.data()};
  const Linear op{.x = dense_view(x.data(), x_dtype, kRows, kColumns),
                  .bias = {},
                  .addend = {},
                  .out = dense_view(out.data(), DType::kF32, kRows, outputs),
                  .attributes = {.weight = &matrix}};
  double best_seconds = 1e9;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const auto begin = std::chrono::steady_clock::now();
    team.run([&](int lane) {
      for (int i = 0; i < kProducts; ++i) {
        backend.run({.lane = lane, .lanes = team.lanes()}, op);
      }
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best_seconds = std::min(best_seconds, seconds.count());
  }
  return 2.0 * kProducts * static_cast<double>(kRows * outputs * kColumns) / best_seconds;
}

}  // namespace invar

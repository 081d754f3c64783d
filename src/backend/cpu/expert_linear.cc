// expert_linear on the CPU: panels of the chosen experts are dealt to the lanes, more of them to a
// lane whose experts have few rows. The rows of an expert are multiplied together, so that its
// matrix is read once; linear's kernels do the work, so they give each row linear's bits.
#include "backend/ops/expert_linear.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/linear_kernel.h"
#include "backend/ops/moe_route.h"

namespace invar {
namespace {

// Rows of one expert that are brought together at a time, on the lane's stack: what the
// second-level cache holds beside the weights.
constexpr int64_t kGatherBytes = 128 * 1024;
constexpr int64_t kGatherRows = 64;
// A panel's cost where it is read, in rows multiplied with it. Only balance depends on it.
constexpr int64_t kPanelReadRows = 4;

struct Panels {
  int64_t begin;
  int64_t end;
};

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// The rows of some neighbours in a pass, by expert. Pair t * top_k + j is row t's j-th expert.
class ExpertRows {
 public:
  // What a lane sorts on its stack. Passes of more pairs are taken part by part.
  static constexpr int64_t kPairsMax = 16 * 1024;

  ExpertRows(const ExpertLinear& op, cpu::LinearFunction kernel)
      : op_(op), kernel_(kernel), row_bytes_(row_bytes(op.x.dtype, op.x.columns)) {}

  // Rows [begin, end) of ids: at most kPairsMax pairs.
  void run(const Stream& stream, int64_t begin, int64_t end) {
    count(begin, end);
    const int64_t panels = op_.out.columns / kPanelRows;
    const int64_t experts = op_.attributes.experts;
    int64_t cost = 0;
    for (int64_t expert = 0; expert < experts; ++expert) {
      cost += panels * panel_cost(expert);
    }
    const LaneRange range = lane_range(stream, cost);
    if (range.begin == range.end) {
      return;
    }
    sort(begin, end);
    int64_t first = 0;
    for (int64_t expert = 0; expert < experts && first < range.end; ++expert) {
      if (pairs_[expert] == 0) {
        continue;
      }
      const int64_t each = panel_cost(expert);
      const auto panel_at = [&](int64_t at) {
        return std::min(panels, divide_up(std::max<int64_t>(0, at - first), each));
      };
      const Panels mine{panel_at(range.begin), panel_at(range.end)};
      if (mine.begin < mine.end) {
        run_expert(expert, mine);
      }
      first += panels * each;
    }
  }

 private:
  template <class Function>
  void for_each_pair(int64_t begin, int64_t end, Function f) const {
    const int64_t top_k = op_.ids.columns;
    for (int64_t t = begin; t < end; ++t) {
      const auto* ids = op_.ids.row<int32_t>(t);
      for (int64_t j = 0; j < top_k; ++j) {
        f(static_cast<int32_t>(t * top_k + j), ids[j]);
      }
    }
  }

  void count(int64_t begin, int64_t end) {
    std::fill_n(pairs_.begin(), op_.attributes.experts, 0);
    for_each_pair(begin, end, [&](int32_t /*pair*/, int32_t expert) {
      INVAR_CHECK(expert >= 0 && expert < op_.attributes.experts, "expert_linear: expert {} of {}",
                  expert, op_.attributes.experts);
      pairs_[expert] += 1;
    });
  }

  // Afterwards the pairs of an expert end at end_, ascending.
  void sort(int64_t begin, int64_t end) {
    int64_t before = 0;
    for (int64_t expert = 0; expert < op_.attributes.experts; ++expert) {
      end_[expert] = before;
      before += pairs_[expert];
    }
    for_each_pair(begin, end,
                  [&](int32_t pair, int32_t expert) { sorted_[end_[expert]++] = pair; });
  }

  int64_t panel_cost(int64_t expert) const {
    return pairs_[expert] == 0 ? 0 : pairs_[expert] + kPanelReadRows;
  }

  void run_expert(int64_t expert, const Panels& panels) const {
    const int64_t together = std::clamp<int64_t>(kGatherBytes / row_bytes_, 1, kGatherRows);
    for (int64_t left = pairs_[expert]; left > 0; left -= together) {
      multiply(expert, panels,
               std::span(sorted_).subspan(end_[expert] - left, std::min(left, together)));
    }
  }

  const std::byte* x_row(int64_t pair) const {
    return op_.x.row<std::byte>(op_.x.rows == op_.out.rows ? pair : pair / op_.ids.columns);
  }

  void multiply(int64_t expert, const Panels& panels, std::span<const int32_t> pairs) const {
    const PackedMatrix& weight = *op_.attributes.weight;
    alignas(64) std::byte gathered[kGatherBytes];
    const std::byte* x = x_row(pairs.front());
    if (pairs.size() > 1) {
      for (size_t i = 0; i < pairs.size(); ++i) {
        std::memcpy(gathered + static_cast<int64_t>(i) * row_bytes_, x_row(pairs[i]), row_bytes_);
      }
      x = gathered;
    }
    const int64_t outputs = op_.out.columns;
    kernel_({.weight = weight.data + expert * packed_bytes(weight.format, outputs, weight.columns),
             .columns = weight.columns,
             .outputs = outputs,
             .panel_begin = panels.begin,
             .panel_end = panels.end,
             .rows = static_cast<int64_t>(pairs.size()),
             .x = x,
             .x_stride_bytes = row_bytes_,
             .out = op_.out.row<std::byte>(0),
             .out_stride_bytes = op_.out.stride_bytes,
             .out_rows = pairs.data()});
  }

  const ExpertLinear& op_;
  cpu::LinearFunction kernel_;
  int64_t row_bytes_;
  std::array<int64_t, kMoeExpertsMax> pairs_;  // how many, by expert
  std::array<int64_t, kMoeExpertsMax> end_;    // of an expert's part of sorted_
  std::array<int32_t, kPairsMax> sorted_;      // by expert, then ascending
};
static_assert(ExpertRows::kPairsMax >= kMoeTopKMax);

}  // namespace

void CpuBackend::run(const Stream& stream, const ExpertLinear& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  ExpertRows experts(op,
                     linear_kernel(kernels_.linear(), op.attributes.weight->format, op.x.dtype));
  const int64_t together = ExpertRows::kPairsMax / op.ids.columns;
  for (int64_t begin = 0; begin < op.ids.rows; begin += together) {
    experts.run(stream, begin, std::min(op.ids.rows, begin + together));
  }
}

}  // namespace invar

// A runner without a model, for tests of what surrounds one. Its state is real: a row stores its
// token id in the kv_block (and the row_block) that the tables name, and logits are a hash of the
// ids that are read back through the same tables. So a wrong kv_block, page or row_block, a write
// through a shared one or a wrong position changes the tokens, as it would with a model.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "cache/chunk_rows.h"
#include "engine/runner.h"

namespace invar {

// What state the pretended model has.
enum class FakeState { kPaged, kPagedAndRecurrent };

class FakeRunner final : public PassRunner {
 public:
  FakeRunner(const RunnerLimits& limits, int64_t vocabulary, FakeState state = FakeState::kPaged)
      : PassRunner(limits, vocabulary,
                   std::span(chunk_row_buffers()).first(state == FakeState::kPaged ? 1 : 3)) {}

  // Called at the start of each pass; may throw, or let a virtual clock go on.
  std::function<void()> on_run;
  int64_t passes = 0;
  int64_t rows = 0;
  int32_t broken_after = -1;  // a token after which the logits are no numbers

  // The logits after `token_ids`, by definition.
  static std::vector<float> logits_after(std::span<const int32_t> token_ids, int64_t vocabulary) {
    return logits_of(hash_of(token_ids), vocabulary);
  }

  void run() override {
    if (on_run) {
      on_run();
    }
    const PassShape shape = tables().shape();
    passes += 1;
    rows += shape.rows;
    std::vector<uint64_t> hashes;
    for (int64_t segment = 0; segment < shape.segments; ++segment) {
      run_segment(segment, hashes);
    }
    logits_.clear();
    const TensorView logit_rows = tables().view(PassTable::kLogitRows);
    for (int64_t i = 0; i < shape.logit_rows; ++i) {
      const int32_t row = *logit_rows.row<int32_t>(i);
      logits_.push_back(logits_of(hashes.at(row), vocabulary()));
      if (number(PassTable::kTokenIds, row) == broken_after) {
        logits_.back().assign(logits_.back().size(), std::numeric_limits<float>::quiet_NaN());
      }
    }
  }

  std::span<const float> logits_row(int64_t index) const override { return logits_.at(index); }

 private:
  static std::vector<float> logits_of(uint64_t state, int64_t vocabulary) {
    std::vector<float> logits(vocabulary);
    for (int64_t id = 0; id < vocabulary; ++id) {
      // 24 bits, so that the conversion is exact: -4 to 4.
      const uint64_t bits = mix_bits(state, static_cast<uint64_t>(id) + 1000003) >> 40;
      logits[id] = static_cast<float>(bits) / static_cast<float>(1 << 21) - 4.0f;
    }
    return logits;
  }

  int32_t number(PassTable table, int64_t index) {
    return *tables().view(table).row<int32_t>(index);
  }

  void run_segment(int64_t segment, std::vector<uint64_t>& hashes) {
    const auto list = [&](PassTable table) {
      const TensorView view = tables().view(table);
      return std::span<const int32_t>(view.row<int32_t>(segment),
                                      static_cast<size_t>(view.columns));
    };
    const int64_t begin = number(PassTable::kCuRows, segment);
    const ChunkTables chunk_tables = {.first_position = number(PassTable::kPositions, begin),
                                      .kv_blocks = list(PassTable::kBlockTable),
                                      .state_pages = list(PassTable::kStatePages),
                                      .row_blocks = list(PassTable::kRowBlocks),
                                      .kv_write_from = number(PassTable::kKvWriteFrom, segment)};
    for (int64_t row = begin; row < number(PassTable::kCuRows, segment + 1); ++row) {
      hashes.push_back(compute_row(state_storage(), chunk_tables,
                                   number(PassTable::kPositions, row),
                                   number(PassTable::kTokenIds, row)));
    }
  }

  std::vector<std::vector<float>> logits_;
};

}  // namespace invar

// A runner without a model, for tests of what surrounds one. Its state is real: a row stores its
// token id in the kv_block that the tables name, and logits are a hash of the ids that are read
// back through the same tables. So a wrong kv_block, a write through a shared one or a wrong
// position changes the tokens, as it would with a model.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/runner.h"

namespace invar {

// 64 bits that depend on all bits of both numbers.
inline uint64_t mix_bits(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class FakeRunner final : public PassRunner {
 public:
  FakeRunner(const RunnerLimits& limits, int64_t vocabulary)
      : PassRunner(limits, vocabulary, kBuffers) {}

  // Called at the start of each pass; may throw, or let a virtual clock go on.
  std::function<void()> on_run;
  int64_t passes = 0;
  int64_t rows = 0;

  // The logits after `token_ids`, by definition.
  static std::vector<float> logits_after(std::span<const int32_t> token_ids, int64_t vocabulary) {
    uint64_t state = 0;
    for (const int32_t id : token_ids) {
      state = mix_bits(state, static_cast<uint64_t>(id));
    }
    std::vector<float> logits(vocabulary);
    for (int64_t id = 0; id < vocabulary; ++id) {
      // 24 bits, so that the conversion is exact: -4 to 4.
      const uint64_t bits = mix_bits(state, static_cast<uint64_t>(id) + 1000003) >> 40;
      logits[id] = static_cast<float>(bits) / static_cast<float>(1 << 21) - 4.0f;
    }
    return logits;
  }

  void run() override {
    if (on_run) {
      on_run();
    }
    const PassShape shape = tables().shape();
    passes += 1;
    rows += shape.rows;
    const TensorView token_ids = tables().view(PassTable::kTokenIds);
    for (int64_t row = 0; row < shape.rows; ++row) {
      *cell(row, position(row)) = *token_ids.row<int32_t>(row);
    }
    logits_.clear();
    const TensorView logit_rows = tables().view(PassTable::kLogitRows);
    for (int64_t i = 0; i < shape.logit_rows; ++i) {
      const int64_t row = *logit_rows.row<int32_t>(i);
      std::vector<int32_t> prefix;
      for (int64_t p = 0; p <= position(row); ++p) {
        prefix.push_back(*cell(row, p));
      }
      logits_.push_back(logits_after(prefix, vocabulary()));
    }
  }

  std::span<const float> logits_row(int64_t index) const override { return logits_.at(index); }

 private:
  inline static const std::vector<StateBufferSpec> kBuffers = {
      {.name = "token ids", .dtype = DType::kI32, .columns = kKvBlockRows}};

  int64_t position(int64_t row) { return *tables().view(PassTable::kPositions).row<int32_t>(row); }
  // Where the sequence of `row` keeps what it stored at `position`.
  int32_t* cell(int64_t row, int64_t at_position) {
    const int64_t segment = *tables().view(PassTable::kRowSegment).row<int32_t>(row);
    const int32_t kv_block =
        tables().view(PassTable::kBlockTable).row<int32_t>(segment)[at_position / kKvBlockRows];
    return state_storage().buffers()[0].row<int32_t>(kv_block) + at_position % kKvBlockRows;
  }

  std::vector<std::vector<float>> logits_;
};

}  // namespace invar

// Shows that the fuzzer can fail: faults of state and of cuts are planted in a backend; it must
// find them, shrink the schedule to the few steps and rows that are needed, and name the op.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backend/ops/kv_place.h"
#include "backend/registry.h"
#include "engine/law_fuzz.h"
#include "engine/law_schedule_text.h"
#include "law/forwarding_backend.h"
#include "program/fuse/rule.h"
#include "program/small_model.h"

namespace invar {
namespace {

constexpr int64_t kSchedules = 60;

class FuzzFaultTest : public testing::Test {
 protected:
  FuzzFaultTest() : fused_(copy(model_.program)) { fuse(fused_); }

  LawSubject subject(const Backend& backend) {
    return {
        .program = &fused_, .backend = &backend, .team = &team_, .other_isas = {}, .context = 1024};
  }
  // Finds the fault, and finds it again from its seed and from the text of the shrunk schedule.
  LawFuzzFailure find(const Backend& backend) {
    const LawFuzzResult result = fuzz_law(subject(backend), {.schedules = kSchedules});
    EXPECT_TRUE(result.failure.has_value());
    const LawFuzzFailure failure = result.failure.value_or(LawFuzzFailure{});
    const LawFuzzResult by_seed = fuzz_law(subject(backend), {.seed = failure.seed});
    EXPECT_EQ(by_seed.failure.value_or(LawFuzzFailure{}).shrunk, failure.shrunk);
    const LawFuzzOptions by_text{
        .seed = failure.seed,
        .schedule =
            parse_law_schedule(describe(failure.shrunk), law_fuzz_shape(subject(backend), {}))};
    const LawFuzzResult again = fuzz_law(subject(backend), by_text);
    EXPECT_EQ(again.failure.value_or(LawFuzzFailure{}).op, failure.op);
    EXPECT_EQ(again.failure.value_or(LawFuzzFailure{}).position, failure.position);
    return failure;
  }

  SmallModel model_{{.hybrid = true}};
  Program fused_;
  std::unique_ptr<Backend> inner_ = make_cpu_backend("");
  ThreadTeam team_{1};
};

int64_t rows_of(const LawFuzzFailure& failure) {
  return schedule_rows(failure.shrunk);
}

// --- A segment that begins inside a chunk and goes on behind its border. ---

class WrongAcrossBorders final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const Attention& op) const override {
    inner().run(stream, op);
    for_each_segment(stream, op, [&](int64_t /*segment*/, int64_t first, int64_t last) {
      const int64_t begin = *op.positions.row<int32_t>(first);
      const int64_t end = *op.positions.row<int32_t>(last);
      if (begin % kKvBlockRows != 0 && begin / kKvBlockRows != end / kKvBlockRows) {
        op.out.row<float>(last)[0] += 1.0f;
      }
    });
  }
};

TEST_F(FuzzFaultTest, ASegmentThatCrossesABorderFromWithin) {
  const WrongAcrossBorders backend(*inner_);
  const LawFuzzFailure failure = find(backend);
  EXPECT_EQ(failure.shrunk.steps.size(), 2u) << describe(failure.shrunk);
  EXPECT_EQ(rows_of(failure), 65);
  EXPECT_GT(failure.found.steps.size(), 2u);
  EXPECT_EQ(failure.position, 64);
  EXPECT_EQ(failure.op, "attention layer 0");
}

// --- A key at a place that was written before stays, as if nothing were ever rejected. ---

class KeepsFirstKeys final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const KvWrite& op) const override {
    std::vector<std::pair<float*, float>> kept;
    for (int64_t row = 0; row < op.positions.rows; ++row) {
      const KvPlace at = kv_place(op.block_table, *op.row_segment.row<int32_t>(row),
                                  *op.positions.row<int32_t>(row), op.k_cache.rows);
      float* keys = op.k_cache.row<float>(at.kv_block);
      // Places that nobody wrote hold NaN in what the fuzzer tests, and in no run alone.
      if (std::isnan(keys[kKvBlockRows - 1]) && !std::isnan(keys[at.place])) {
        kept.emplace_back(&keys[at.place], keys[at.place]);
      }
    }
    inner().run(stream, op);
    for (const auto& [key, value] : kept) {
      *key = value;
    }
  }
};

TEST_F(FuzzFaultTest, StateThatARejectionLeftBehind) {
  const KeepsFirstKeys backend(*inner_);
  const LawFuzzFailure failure = find(backend);
  // Two rows, back to the first or a fork there, and another second row.
  EXPECT_EQ(failure.shrunk.steps.size(), 3u) << describe(failure.shrunk);
  EXPECT_EQ(rows_of(failure), 3);
  EXPECT_EQ(failure.position, 1);
  EXPECT_EQ(failure.op, "attention layer 0");
}

// --- A recurrent row after a pass's first row, where that ends a chunk. ---

class WrongAfterALastRow final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const DeltaRule& op) const override {
    inner().run(stream, op);
    for_each_segment(stream, op, [&](int64_t /*segment*/, int64_t first, int64_t last) {
      const int64_t place = *op.positions.row<int32_t>(first) % kChunkRows;
      if (place == kChunkRows - 1 && last > first) {
        op.out.row<float>(first + 1)[0] += 1.0f;
      }
    });
  }
};

TEST_F(FuzzFaultTest, APassThatBeginsWithAChunksLastRow) {
  const WrongAfterALastRow backend(*inner_);
  const LawFuzzFailure failure = find(backend);
  EXPECT_EQ(failure.shrunk.steps.size(), 2u) << describe(failure.shrunk);
  EXPECT_EQ(rows_of(failure), 65);
  EXPECT_EQ(failure.position, 64);
  EXPECT_EQ(failure.op, "delta_rule layer 1 delta rule");
}

}  // namespace
}  // namespace invar

// Shows that the law's check can fail: faults of the kinds that it is made for are planted in a
// backend, and must be reported with the right op and position by the right cases, and by no other.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>

#include "backend/ops/kv_place.h"
#include "backend/registry.h"
#include "engine/law.h"
#include "law/forwarding_backend.h"
#include "program/fuse/rule.h"
#include "program/small_model.h"

namespace invar {
namespace {

float next_float(float value) {
  return std::nextafter(value, 1e30f);
}

class PlantedFaultTest : public testing::Test {
 protected:
  static constexpr int64_t kTokens = 150;

  PlantedFaultTest() : fused_(copy(model_.program)) { fuse(fused_); }

  // What the check says of one case, without "law small ": "tokens: equal".
  std::string check(const Backend& backend, const std::string& only) {
    const LawSubject subject{.program = &fused_,
                             .unfused = &model_.program,
                             .backend = &backend,
                             .team = &team_,
                             .other_isas = {{.name = "other", .backend = other_isa_}},
                             .context = 400};
    const std::vector<LawResult> results = check_law(subject, {.tokens = kTokens, .only = only});
    EXPECT_EQ(results.size(), 1u);
    last_ = results.at(0);
    return describe("small", last_).substr(10);
  }

  const PackedMatrix* weight_of(const std::string& label) const {
    for (const auto& node : fused_.nodes) {
      const auto* linear = dynamic_cast<const OpNode<LinearArgs>*>(node.get());
      if (linear != nullptr && linear->label == label) {
        return linear->args.attributes.weight;
      }
    }
    ADD_FAILURE() << label;
    return nullptr;
  }

  // The reference backend computes every op on the first lane alone, so a fault may change what it
  // wrote at once.
  SmallModel model_{{.format = WeightFormat::kF32}};
  Program fused_;
  std::unique_ptr<Backend> ref_ = make_ref_backend();
  ThreadTeam team_{1};
  const Backend* other_isa_ = ref_.get();
  LawResult last_;
};

// --- A kernel chosen by the number of rows that does not give the same bits. ---

class OtherBitsInLargePasses final : public ForwardingBackend {
 public:
  OtherBitsInLargePasses(const Backend& inner, const PackedMatrix* weight)
      : ForwardingBackend(inner), weight_(weight) {}
  using ForwardingBackend::run;
  void run(const Stream& stream, const Linear& op) const override {
    inner().run(stream, op);
    if (stream.lane != 0 || op.attributes.weight != weight_ || op.out.rows == 1) {
      return;
    }
    for (int64_t row = 7; row < op.out.rows; ++row) {
      float* out = op.out.row<float>(row);
      out[5] = next_float(out[5]);
    }
  }

 private:
  const PackedMatrix* weight_;
};

TEST_F(PlantedFaultTest, OneUlpInPassesOfSeveralRows) {
  const OtherBitsInLargePasses backend(*ref_, weight_of("layer 1 qkv"));
  EXPECT_EQ(check(backend, "solo"), "solo: equal");
  EXPECT_EQ(check(backend, "threads-3"), "threads-3: DIFFERS position 144 op linear layer 1 qkv");
  EXPECT_EQ(check(backend, "tokens"), "tokens: DIFFERS position 7 op linear layer 1 qkv");
  for (const char* name : {"cuts", "batched", "truncate", "fork", "verify", "poisoned"}) {
    check(backend, name);
    EXPECT_EQ(last_.status, LawResult::Status::kDiffers) << name;
    EXPECT_EQ(last_.op, "linear layer 1 qkv") << name;
  }
}

class OtherBitsInOddPasses final : public ForwardingBackend {
 public:
  OtherBitsInOddPasses(const Backend& inner, const PackedMatrix* weight)
      : ForwardingBackend(inner), weight_(weight) {}
  using ForwardingBackend::run;
  void run(const Stream& stream, const Linear& op) const override {
    inner().run(stream, op);
    if (stream.lane == 0 && op.attributes.weight == weight_ && op.out.rows % 2 == 1) {
      float* out = op.out.row<float>(op.out.rows - 1);
      out[3] = next_float(out[3]);
    }
  }

 private:
  const PackedMatrix* weight_;
};

TEST_F(PlantedFaultTest, ParityOfTheRowCount) {
  const OtherBitsInOddPasses backend(*ref_, weight_of("layer 0 down"));
  EXPECT_EQ(check(backend, "solo"), "solo: equal");  // two passes of 150 rows
  EXPECT_EQ(check(backend, "tokens"), "tokens: DIFFERS position 0 op linear layer 0 down");
  check(backend, "cuts");
  EXPECT_EQ(last_.op, "linear layer 0 down");
}

// --- Attention whose tiles begin where the pass begins. ---

class TilesFromThePass final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const Attention& op) const override {
    for_each_segment(stream, op, [&](int64_t segment, int64_t first, int64_t last) {
      const int64_t begin = *op.positions.row<int32_t>(first);
      for (int64_t t = first; t <= last; ++t) {
        for (int64_t head = 0; head < op.attributes.heads; ++head) {
          attend(op, segment, t, head, begin);
        }
      }
    });
  }

 private:
  static constexpr int64_t kTileRows = 4;

  struct Sum {
    float weights = 0;
    std::array<float, SmallModel::kHeadDim> out = {};

    void add(const Sum& other) {
      weights += other.weights;
      for (size_t d = 0; d < out.size(); ++d) {
        out[d] += other.out[d];
      }
    }
  };

  static void attend(const Attention& op, int64_t segment, int64_t t, int64_t head, int64_t begin) {
    const int64_t head_dim = op.attributes.head_dim;
    const float* q = op.q.row<float>(t) + head * head_dim;
    Sum total;
    Sum tile;
    for (int64_t j = 0; j <= *op.positions.row<int32_t>(t); ++j) {
      if (j % kTileRows == begin % kTileRows) {
        total.add(tile);
        tile = {};
      }
      const KvPlace at = kv_place(op.block_table, segment, j, op.k_cache.rows);
      const float* keys = op.k_cache.row<float>(at.kv_block) + at.place;
      const float* values = op.v_cache.row<float>(at.kv_block) + at.place * head_dim;
      float score = 0;
      for (int64_t d = 0; d < head_dim; ++d) {
        score += q[d] * keys[d * kKvBlockRows];
      }
      const float weight = std::exp(score * op.attributes.scale);
      tile.weights += weight;
      for (int64_t d = 0; d < head_dim; ++d) {
        tile.out[d] += weight * values[d];
      }
    }
    total.add(tile);
    for (int64_t d = 0; d < head_dim; ++d) {
      op.out.row<float>(t)[head * head_dim + d] = total.out[d] / total.weights;
    }
  }
};

TEST_F(PlantedFaultTest, AttentionTilesRelativeToThePass) {
  const TilesFromThePass backend(*ref_);
  EXPECT_EQ(check(backend, "solo"), "solo: equal");
  // Alone at position 5, a row has the tiles 0, 1-4 and 5 instead of 0-3 and 4-5. Before, the
  // tiles are others but no sum is.
  EXPECT_EQ(check(backend, "tokens"), "tokens: DIFFERS position 5 op attention layer 0");
  for (const char* name : {"cuts", "batched", "truncate", "fork", "verify"}) {
    check(backend, name);
    EXPECT_EQ(last_.status, LawResult::Status::kDiffers) << name;
    EXPECT_EQ(last_.op, "attention layer 0") << name;
  }
}

// --- A masked key that is multiplied by zero instead of never being read. ---

class ReadsMaskedValues final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const Attention& op) const override {
    inner().run(stream, op);
    for_each_segment(stream, op, [&](int64_t segment, int64_t /*first*/, int64_t row) {
      const int64_t position = *op.positions.row<int32_t>(row);
      const KvPlace at = kv_place(op.block_table, segment, position, op.v_cache.rows);
      const float* values = op.v_cache.row<float>(at.kv_block);
      const float masked = values[(kKvBlockRows - 1) * op.attributes.head_dim];
      op.out.row<float>(row)[0] += 0.0f * masked;
    });
  }
};

TEST_F(PlantedFaultTest, MaskedValuesAreRead) {
  // The reference backend refuses to compute with NaN.
  const SmallModel quantized;
  fused_ = copy(quantized.program);
  const std::unique_ptr<Backend> portable = make_cpu_backend("portable");
  const ReadsMaskedValues backend(*portable);
  EXPECT_EQ(check(backend, "tokens"), "tokens: equal");
  EXPECT_EQ(check(backend, "batched"), "batched: equal");
  check(backend, "poisoned");
  EXPECT_EQ(last_.status, LawResult::Status::kDiffers);
  EXPECT_EQ(last_.op, "attention layer 0");
}

// --- A row that sees what comes after it in its pass. ---

class SeesTheNextRow final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const SiluMul& op) const override {
    inner().run(stream, op);
    for (int64_t row = 0; stream.lane == 0 && row + 1 < op.out.rows; ++row) {
      op.out.row<float>(row)[0] += op.gate.row<float>(row + 1)[0] * 0x1p-12f;
    }
  }
};

TEST_F(PlantedFaultTest, RowsSeeTheirNeighbours) {
  const SeesTheNextRow backend(*ref_);
  EXPECT_EQ(check(backend, "solo"), "solo: equal");
  EXPECT_EQ(check(backend, "tokens"), "tokens: DIFFERS position 0 op silu_mul layer 0 activation");
  // Where the row before a pass's last one is the first that differs, it does so one layer later.
  for (const char* name : {"batched", "verify", "truncate"}) {
    check(backend, name);
    EXPECT_EQ(last_.status, LawResult::Status::kDiffers) << name;
    EXPECT_TRUE(last_.op.starts_with("silu_mul layer")) << name << " " << last_.op;
  }
}

// --- A fused op that rounds otherwise than the ops that it stands for. ---

class OtherBitsWhenFused final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const Linear& op) const override {
    inner().run(stream, op);
    if (stream.lane == 0 && op.addend) {
      float* out = op.out.row<float>(op.out.rows - 1);
      out[0] = next_float(out[0]);
    }
  }
};

TEST_F(PlantedFaultTest, FusionChangesBits) {
  const OtherBitsWhenFused backend(*ref_);
  EXPECT_EQ(check(backend, "solo"), "solo: equal");
  check(backend, "unfused");
  EXPECT_EQ(last_.op, "linear layer 0 out");
}

// --- Work that is dealt otherwise on three lanes. ---

class OtherBitsOnThreeLanes final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  using ForwardingBackend::run;
  void run(const Stream& stream, const RmsNorm& op) const override {
    inner().run(stream, op);
    if (stream.lane == 0 && stream.lanes == 3) {
      float* out = op.out.row<float>(0);
      out[0] = next_float(out[0]);
    }
  }
};

TEST_F(PlantedFaultTest, LanesChangeBits) {
  const OtherBitsOnThreeLanes backend(*ref_);
  EXPECT_EQ(check(backend, "threads-1"), "threads-1: equal");
  EXPECT_EQ(check(backend, "threads-2"), "threads-2: equal");
  EXPECT_EQ(check(backend, "threads-3"),
            "threads-3: DIFFERS position 0 op rms_norm layer 0 attention norm");
}

TEST_F(PlantedFaultTest, AnotherInstructionSetDiffers) {
  const OtherBitsInLargePasses other(*ref_, weight_of("head"));
  other_isa_ = &other;
  EXPECT_EQ(check(*ref_, "isa-other"), "isa-other: DIFFERS position 7 op linear head");
}

// --- A result that depends on time: it cannot be found a second time. ---

class OnceOtherBits final : public ForwardingBackend {
 public:
  OnceOtherBits(const Backend& inner, int64_t call) : ForwardingBackend(inner), call_(call) {}
  using ForwardingBackend::run;
  void run(const Stream& stream, const Embed& op) const override {
    inner().run(stream, op);
    if (calls_.fetch_add(1) == call_) {
      op.out.row<float>(20)[0] += 1.0f;
    }
  }

 private:
  int64_t call_;
  mutable std::atomic<int64_t> calls_{0};
};

TEST_F(PlantedFaultTest, ADifferenceThatDoesNotComeBack) {
  // One pass of the baseline, then the second of two.
  const OnceOtherBits backend(*ref_, 2);
  EXPECT_EQ(check(backend, "solo"),
            "solo: DIFFERS position 20 op unknown (equal when run again op by op)");
}

}  // namespace
}  // namespace invar

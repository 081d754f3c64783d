// docs/numerics.md as scalar code: the chains, borders and rounding points of each float op, one
// operation a line. Every instruction set must give these bytes, so a change of the definition (a
// new border, another tree) shows here even if all instruction sets change together; it needs a new
// kNumericsVersion.
#include "core/numerics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/registry.h"
#include "conformance/cases/attention.h"
#include "conformance/cases/rms_norm.h"
#include "conformance/cases/rope.h"
#include "conformance/cases/silu_mul.h"
#include "core/math.h"

namespace invar::conformance {
namespace {

float float_at(const TensorView& view, int64_t row, int64_t column) {
  const uint16_t half = view.dtype == DType::kF32 ? 0 : view.row<uint16_t>(row)[column];
  switch (view.dtype) {
    case DType::kBF16:
      return bf16_to_f32(half);
    case DType::kF16:
      return f16_to_f32(half);
    default:
      return view.row<float>(row)[column];
  }
}

// Lane j with lane j + 8, then j + 4, j + 2, j + 1.
float tree_sum(std::array<float, 16> lane) {
  for (int half = 8; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) {
      lane[j] = lane[j] + lane[j + half];
    }
  }
  return lane[0];
}

void define(const RmsNorm& op) {
  const int64_t dim = op.weight.columns;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t begin = 0; begin < op.out.columns; begin += dim) {
      std::array<float, 16> lane = {};
      for (int64_t i = 0; i < dim; ++i) {
        const float x = float_at(op.x, t, begin + i);
        lane[i % 16] = std::fma(x, x, lane[i % 16]);
      }
      const float mean = tree_sum(lane) / static_cast<float>(dim);
      const float inverse = 1.0f / std::sqrt(mean + op.attributes.eps);
      for (int64_t i = 0; i < dim; ++i) {
        const float scaled = float_at(op.x, t, begin + i) * inverse;
        set_number(op.out, t, begin + i, scaled * float_at(op.weight, 0, i));
      }
    }
  }
}

void define(const SiluMul& op) {
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      const float gate = float_at(op.gate, t, i);
      const float divisor = 1.0f + exp_f32(0.0f - gate);
      const float activated = gate / divisor;
      set_number(op.out, t, i, activated * float_at(op.up, t, i));
    }
  }
}

// Of each pair, the position that turns it: the second's section is dealt to pairs 1, 4, 7, ...,
// the third's to 2, 5, 8, ..., and all others are the first's.
std::vector<int64_t> streams_of_pairs(const RopeSections& sections, int64_t half) {
  std::vector<int64_t> streams(half, 0);
  for (const int64_t stream : {1, 2}) {
    for (int64_t dealt = 0; dealt < sections[stream]; ++dealt) {
      streams.at(stream + 3 * dealt) = stream;
    }
  }
  return streams;
}

void define(const Rope& op) {
  const int64_t half = op.table.columns / 2;
  const std::vector<int64_t> streams = streams_of_pairs(op.attributes.sections, half);
  std::vector<float> cos(half);
  std::vector<float> sin(half);
  for (int64_t t = 0; t < op.x.rows; ++t) {
    for (int64_t i = 0; i < half; ++i) {
      const int32_t position = op.positions.row<int32_t>(t)[streams[i]];
      cos[i] = float_at(op.table, position, i);
      sin[i] = float_at(op.table, position, half + i);
    }
    for (int64_t head = 0; head < op.x.columns; head += op.attributes.head_dim) {
      const int64_t begin = head + op.attributes.first_column;
      for (int64_t i = 0; i < half; ++i) {
        const float a = float_at(op.x, t, begin + i);
        const float b = float_at(op.x, t, begin + half + i);
        const float a_cos = a * cos[i];
        const float b_sin = b * sin[i];
        const float b_cos = b * cos[i];
        const float a_sin = a * sin[i];
        set_number(op.x, t, begin + i, a_cos - b_sin);
        set_number(op.x, t, begin + half + i, b_cos + a_sin);
      }
    }
  }
}

// A softmax over a range of keys, not yet divided.
struct Partial {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;
  std::vector<float> out;
};

// One head of one row.
class AttentionRow {
 public:
  AttentionRow(const Attention& op, int64_t segment, int64_t t, int64_t head)
      : op_(op), segment_(segment), t_(t), head_(head) {}

  void run() {
    const int64_t position = *op_.positions.row<int32_t>(t_);
    Partial total;
    for (int64_t border = 0; border <= position; border += 256) {
      Partial partial;
      partial.out.assign(op_.attributes.value_dim, 0.0f);
      for (int64_t tile = border; tile < border + 256 && tile <= position; tile += 64) {
        add_tile(partial, tile, std::min<int64_t>(64, position - tile + 1));
      }
      total = border == 0 ? partial : merged(total, partial);
    }
    for (int64_t d = 0; d < op_.attributes.value_dim; ++d) {
      set_number(op_.out, t_, head_ * op_.attributes.value_dim + d, total.out[d] / total.sum);
    }
  }

 private:
  int64_t kv_head() const { return head_ / (op_.attributes.heads / op_.attributes.kv_heads); }
  int64_t kv_block(int64_t key) const { return op_.block_table.row<int32_t>(segment_)[key / 64]; }
  float k(int64_t key, int64_t d) const {
    const int64_t head_dim = op_.attributes.head_dim;
    return float_at(op_.k_cache, kv_block(key), (kv_head() * head_dim + d) * 64 + key % 64);
  }
  float v(int64_t key, int64_t d) const {
    if (!op_.v_cache) {
      return k(key, d);
    }
    const int64_t head_dim = op_.attributes.head_dim;
    return float_at(op_.v_cache, kv_block(key), (kv_head() * 64 + key % 64) * head_dim + d);
  }

  void add_tile(Partial& partial, int64_t tile, int64_t keys) const {
    const int64_t head_dim = op_.attributes.head_dim;
    std::vector<float> weight(keys);
    float max = partial.max;
    for (int64_t j = 0; j < keys; ++j) {
      float product = 0.0f;
      for (int64_t d = 0; d < head_dim; ++d) {
        product = std::fma(float_at(op_.q, t_, head_ * head_dim + d), k(tile + j, d), product);
      }
      weight[j] = product * op_.attributes.scale;
      max = std::max(max, weight[j]);
    }
    const float rescale = exp_f32(partial.max - max);
    std::array<float, 16> lane = {};
    for (int64_t j = 0; j < keys; ++j) {
      weight[j] = exp_f32(weight[j] - max);
      lane[j % 16] = lane[j % 16] + weight[j];
    }
    partial.max = max;
    partial.sum = std::fma(partial.sum, rescale, tree_sum(lane));
    for (int64_t d = 0; d < op_.attributes.value_dim; ++d) {
      partial.out[d] = partial.out[d] * rescale;
      for (int64_t j = 0; j < keys; ++j) {
        partial.out[d] = std::fma(weight[j], v(tile + j, d), partial.out[d]);
      }
    }
  }

  static Partial merged(const Partial& total, const Partial& partial) {
    Partial result;
    result.max = std::max(total.max, partial.max);
    const float keep = exp_f32(total.max - result.max);
    const float take = exp_f32(partial.max - result.max);
    result.sum = std::fma(partial.sum, take, total.sum * keep);
    for (size_t d = 0; d < total.out.size(); ++d) {
      result.out.push_back(std::fma(partial.out[d], take, total.out[d] * keep));
    }
    return result;
  }

  const Attention& op_;
  int64_t segment_;
  int64_t t_;
  int64_t head_;
};

void define(const Attention& op) {
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    for (int64_t t = *op.cu_rows.row<int32_t>(segment); t < *op.cu_rows.row<int32_t>(segment + 1);
         ++t) {
      for (int64_t head = 0; head < op.attributes.heads; ++head) {
        AttentionRow(op, segment, t, head).run();
      }
    }
  }
}

template <class Op>
void expect_defined_bits(const std::vector<OpCase<Op>>& cases) {
  const auto backend = make_cpu_backend("");  // check_case compares the others with it
  for (const OpCase<Op>& op_case : cases) {
    const Problem<Op> problem = op_case.make();
    const Image start = problem.memory->image();
    define(problem.op);
    const Image expected = problem.memory->image();
    problem.memory->restore(start);
    backend->run({}, problem.op);
    ASSERT_EQ(problem.memory->difference(expected, problem.memory->image()), "") << op_case.name;
  }
}

TEST(Numerics, AttentionHasTheDefinedBits) {
  expect_defined_bits(attention_cases());
}
TEST(Numerics, RmsNormHasTheDefinedBits) {
  expect_defined_bits(rms_norm_cases());
}
TEST(Numerics, RopeHasTheDefinedBits) {
  expect_defined_bits(rope_cases());
}
// Text, where a row's three positions are one.
TEST(Numerics, RopeWithEqualPositionsHasTheBitsOfOne) {
  const auto backend = make_cpu_backend("");
  const RopeSizes one{.positions = {6, 0, 3}, .context = 7, .heads = 2, .head_dim = 70, .half = 32};
  RopeSizes three = one;
  three.positions = {6, 6, 6, 0, 0, 0, 3, 3, 3};
  three.sections = {11, 11, 10};
  const Problem<Rope> plain = rope_case(one).make();
  const Problem<Rope> sectioned = rope_case(three).make();
  backend->run({}, plain.op);
  backend->run({}, sectioned.op);
  EXPECT_EQ(numbers(plain.op.x), numbers(sectioned.op.x));
}
TEST(Numerics, SiluMulHasTheDefinedBits) {
  expect_defined_bits(silu_mul_cases());
}

// This file defines version 1. A new version needs new definitions here and in docs/numerics.md.
TEST(Numerics, VersionIsTheOneDefinedHere) {
  EXPECT_EQ(kNumericsVersion, 4);
}

}  // namespace
}  // namespace invar::conformance

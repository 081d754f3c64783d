// The recurrent layers' part of docs/numerics.md, and their gates', as scalar code: one operation a
// line. Every instruction set must give these bits (check_case.h compares them with each other).
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "conformance/cases/causal_conv.h"
#include "conformance/cases/delta_gates.h"
#include "conformance/cases/delta_rule.h"
#include "conformance/cases/depth_mix.h"
#include "conformance/cases/gated_rms_norm.h"
#include "conformance/cases/sigmoid_mul.h"
#include "conformance/cases/situ_mul.h"
#include "conformance/cases/ssd.h"
#include "core/math.h"

namespace invar::conformance {
namespace {

// Term i in lane i mod 16; lane j with lane j + 8, then j + 4, j + 2, j + 1.
class RowSum {
 public:
  void add(int64_t i, float a, float b) { lane_[i % 16] = std::fma(a, b, lane_[i % 16]); }
  float total() const {
    std::array<float, 16> lane = lane_;
    for (int half = 8; half > 0; half /= 2) {
      for (int j = 0; j < half; ++j) {
        lane[j] = lane[j] + lane[j + half];
      }
    }
    return lane[0];
  }

 private:
  std::array<float, 16> lane_ = {};
};

float decay_rate(float a_log) {
  return std::min(exp_f32(a_log), kDecayRateMax);
}
float log_decay(float rate, float time) {
  return std::max((0.0f - rate) * time, kLogDecayMin);
}

float silu(float x) {
  const float divisor = 1.0f + exp_f32(0.0f - x);
  return x / divisor;
}

void define(const CausalConv& op, const ChunkPiece& piece, int64_t channel) {
  const int64_t taps = op.attributes.taps;
  const int64_t channels = op.out.columns;
  std::vector<float> inputs;
  for (int64_t i = 0; i < taps - 1; ++i) {
    inputs.push_back(piece.page < 0 ? 0.0f
                                    : op.pages.row<float>(piece.page)[i * channels + channel]);
  }
  float* kept = op.rows.row<float>(piece.row_block);
  for (int64_t place = 0; place < piece.place; ++place) {
    inputs.push_back(kept[place * channels + channel]);
  }
  for (int64_t t = piece.begin; t < piece.end; ++t) {
    inputs.push_back(op.x.row<float>(t)[channel]);
    kept[(piece.place + t - piece.begin) * channels + channel] = inputs.back();
    float sum = op.bias ? op.bias.row<float>(0)[channel] : 0.0f;
    for (int64_t j = 0; j < taps; ++j) {
      sum = std::fma(op.weight.row<float>(j)[channel], inputs[inputs.size() - taps + j], sum);
    }
    op.out.row<float>(t)[channel] = op.attributes.silu ? silu(sum) : sum;
  }
  for (int64_t i = 0; piece.next_page >= 0 && i < taps - 1; ++i) {
    op.pages.row<float>(piece.next_page)[i * channels + channel] =
        inputs[inputs.size() - taps + 1 + i];
  }
}

void define(const CausalConv& op, const ChunkPiece& piece) {
  for (int64_t channel = 0; channel < op.out.columns; ++channel) {
    define(op, piece, channel);
  }
}

// What a row_block and the pages keep of one head.
struct HeadState {
  const float* page;  // null: zeros
  float* next_page;   // null: the chunk goes on
  float* k;           // [key_dim][64]
  float* u;           // [64][value_dim]
  float* gamma;       // [64], or [key_dim][64]
  int64_t gamma_stride;
  int64_t key_dim;
  int64_t value_dim;
};

// The state at the chunk's end.
void fold(const HeadState& h) {
  for (int64_t i = 0; i < h.key_dim; ++i) {
    const float* gamma = h.gamma + i * h.gamma_stride;
    for (int64_t d = 0; d < h.value_dim; ++d) {
      float sum = h.page == nullptr ? 0.0f : h.page[i * h.value_dim + d] * exp_f32(gamma[63]);
      for (int64_t l = 0; l < 64; ++l) {
        const float weight = exp_f32(gamma[63] - gamma[l]) * h.k[i * 64 + l];
        sum = std::fma(weight, h.u[l * h.value_dim + d], sum);
      }
      h.next_page[i * h.value_dim + d] = sum;
    }
  }
}

// The chain of a row's decayed vector with column d of the page.
float page_product(const HeadState& h, const std::vector<float>& x, int64_t place, int64_t d) {
  float sum = 0.0f;
  for (int64_t i = 0; h.page != nullptr && i < h.key_dim; ++i) {
    const float decayed = x[i] * exp_f32(h.gamma[i * h.gamma_stride + place]);
    sum = std::fma(decayed, h.page[i * h.value_dim + d], sum);
  }
  return sum;
}

// The score of the row at `place` with the row at l.
float score(const HeadState& h, const std::vector<float>& x, int64_t place, int64_t l) {
  const int64_t start = place / 16 * 16;
  float sum = 0.0f;
  for (int64_t i = 0; i < h.key_dim; ++i) {
    const float* gamma = h.gamma + i * h.gamma_stride;
    float k = h.k[i * 64 + l];
    float factor = x[i];
    if (h.gamma_stride != 0 && l >= start) {
      k = k * exp_f32(gamma[place] - gamma[l]);
    } else if (h.gamma_stride != 0) {
      k = k * exp_f32(gamma[start] - gamma[l]);
      factor = factor * exp_f32(gamma[place] - gamma[start]);
    }
    sum = std::fma(factor, k, sum);
  }
  return h.gamma_stride != 0 ? sum : sum * exp_f32(h.gamma[place] - h.gamma[l]);
}

void add_gamma(const HeadState& h, int64_t i, int64_t place, float log_decay) {
  float* gamma = h.gamma + i * h.gamma_stride + place;
  *gamma = place == 0 ? log_decay : gamma[-1] + log_decay;
}

std::vector<float> normalised(const float* x, int64_t dim, float eps) {
  RowSum sum;
  for (int64_t i = 0; i < dim; ++i) {
    sum.add(i, x[i], x[i]);
  }
  const float inverse = 1.0f / std::sqrt(sum.total() + eps);
  std::vector<float> out;
  for (int64_t i = 0; i < dim; ++i) {
    out.push_back(x[i] * inverse);
  }
  return out;
}

void define(const DeltaRule& op, const HeadState& h, int64_t head, int64_t t, int64_t place) {
  const DeltaRuleAttributes& a = op.attributes;
  const int64_t key_head =
      a.tiled_heads ? head % a.key_heads : head / (a.value_heads / a.key_heads);
  const int64_t key_begin = key_head * a.key_dim;
  const std::vector<float> k = normalised(op.k.row<float>(t) + key_begin, a.key_dim, a.l2_eps);
  const std::vector<float> q = normalised(op.q.row<float>(t) + key_begin, a.key_dim, a.l2_eps);
  for (int64_t i = 0; i < a.key_dim; ++i) {
    h.k[i * 64 + place] = k[i];
    if (a.channel_decay) {
      add_gamma(h, i, place, op.log_decay.row<float>(t)[head * a.key_dim + i]);
    }
  }
  if (!a.channel_decay) {
    add_gamma(h, 0, place, op.log_decay.row<float>(t)[head]);
  }
  std::vector<float> key_scores;
  std::vector<float> query_scores;
  for (int64_t l = 0; l <= place; ++l) {
    key_scores.push_back(score(h, k, place, l));
    query_scores.push_back(score(h, q, place, l));
  }
  for (int64_t d = 0; d < a.value_dim; ++d) {
    float known = page_product(h, k, place, d);
    for (int64_t l = 0; l < place; ++l) {
      known = std::fma(key_scores[l], h.u[l * a.value_dim + d], known);
    }
    const float difference = op.v.row<float>(t)[head * a.value_dim + d] - known;
    h.u[place * a.value_dim + d] = op.beta.row<float>(t)[head] * difference;
    float read = page_product(h, q, place, d);
    for (int64_t l = 0; l <= place; ++l) {
      read = std::fma(query_scores[l], h.u[l * a.value_dim + d], read);
    }
    op.out.row<float>(t)[head * a.value_dim + d] = read * a.scale;
  }
}

void define(const DeltaRule& op, const ChunkPiece& piece) {
  const DeltaRuleAttributes& a = op.attributes;
  const int64_t page = a.key_dim * a.value_dim;
  for (int64_t head = 0; head < a.value_heads; ++head) {
    float* rows =
        op.rows.row<float>(piece.row_block) + head * delta_rule_row_columns(a) / a.value_heads * 64;
    const HeadState h{
        .page = piece.page < 0 ? nullptr : op.pages.row<float>(piece.page) + head * page,
        .next_page =
            piece.next_page < 0 ? nullptr : op.pages.row<float>(piece.next_page) + head * page,
        .k = rows,
        .u = rows + a.key_dim * 64,
        .gamma = rows + (a.key_dim + a.value_dim) * 64,
        .gamma_stride = a.channel_decay ? 64 : 0,
        .key_dim = a.key_dim,
        .value_dim = a.value_dim};
    for (int64_t t = piece.begin; t < piece.end; ++t) {
      define(op, h, head, t, piece.place + t - piece.begin);
    }
    if (h.next_page != nullptr) {
      fold(h);
    }
  }
}

void define(const Ssd& op, const HeadState& h, int64_t head, int64_t t, int64_t place) {
  const SsdAttributes& a = op.attributes;
  const int64_t group_begin = head / (a.heads / a.groups) * a.state_size;
  const float raw = op.dt.row<float>(t)[head] + op.dt_bias.row<float>(0)[head];
  const float positive = std::max(softplus_f32(raw), a.dt_min);
  const float dt = std::min(positive, a.dt_max);
  add_gamma(h, 0, place, log_decay(decay_rate(op.a_log.row<float>(0)[head]), dt));
  std::vector<float> c;
  for (int64_t n = 0; n < a.state_size; ++n) {
    h.k[n * 64 + place] = op.b.row<float>(t)[group_begin + n];
    c.push_back(op.c.row<float>(t)[group_begin + n]);
  }
  std::vector<float> scores;
  for (int64_t l = 0; l <= place; ++l) {
    scores.push_back(score(h, c, place, l));
  }
  for (int64_t d = 0; d < a.head_dim; ++d) {
    const float x = op.x.row<float>(t)[head * a.head_dim + d];
    h.u[place * a.head_dim + d] = dt * x;
    float y = page_product(h, c, place, d);
    for (int64_t l = 0; l <= place; ++l) {
      y = std::fma(scores[l], h.u[l * a.head_dim + d], y);
    }
    op.out.row<float>(t)[head * a.head_dim + d] = std::fma(op.d.row<float>(0)[head], x, y);
  }
}

void define(const Ssd& op, const ChunkPiece& piece) {
  const SsdAttributes& a = op.attributes;
  const int64_t page = a.state_size * a.head_dim;
  const int64_t together = ssd_heads_together(a);
  for (int64_t head = 0; head < a.heads; ++head) {
    const int64_t within = head % together;
    float* rows = op.rows.row<float>(piece.row_block) +
                  head / together * (a.state_size + together * (a.head_dim + 1)) * 64;
    const HeadState h{
        .page = piece.page < 0 ? nullptr : op.pages.row<float>(piece.page) + head * page,
        .next_page =
            piece.next_page < 0 ? nullptr : op.pages.row<float>(piece.next_page) + head * page,
        .k = rows,
        .u = rows + (a.state_size + within * a.head_dim) * 64,
        .gamma = rows + (a.state_size + together * a.head_dim + within) * 64,
        .gamma_stride = 0,
        .key_dim = a.state_size,
        .value_dim = a.head_dim};
    for (int64_t t = piece.begin; t < piece.end; ++t) {
      define(op, h, head, t, piece.place + t - piece.begin);
    }
    if (h.next_page != nullptr) {
      fold(h);
    }
  }
}

// The definitions as a backend, for RecurrentRun.
class Definitions final : public Backend {
 public:
  std::string_view name() const override { return "definition"; }
  using Backend::run;
  void run(const Stream&, const CausalConv& op) const override { run_all(op); }
  void run(const Stream&, const DeltaRule& op) const override { run_all(op); }
  void run(const Stream&, const Ssd& op) const override { run_all(op); }

 private:
  template <class Op>
  static void run_all(const Op& op) {
    for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
      for_each_chunk(op, segment, [&](const ChunkPiece& piece) { define(op, piece); });
    }
  }
};

template <class Op>
void expect_defined_bits(const std::vector<RecurrentCase<Op>>& cases) {
  for (const RecurrentCase<Op>& recurrent_case : cases) {
    const Passes whole = one_pass(recurrent_case.lengths);
    RecurrentRun<Op> defined(recurrent_case, ChunkStorage::kOwn);
    defined.run(Definitions(), whole, 1);
    RecurrentRun<Op> found(recurrent_case, ChunkStorage::kOwn);
    found.run(*make_cpu_backend(""), whole, 1);
    ASSERT_TRUE(defined.bits() == found.bits()) << recurrent_case.name;
  }
}

TEST(RecurrentNumerics, CausalConvHasTheDefinedBits) {
  expect_defined_bits(causal_conv_cases());
}
TEST(RecurrentNumerics, DeltaRuleHasTheDefinedBits) {
  expect_defined_bits(delta_rule_cases());
}
TEST(RecurrentNumerics, SsdHasTheDefinedBits) {
  expect_defined_bits(ssd_cases());
}

// --- Gates and norms. ---

// exp of these is infinite, and infinity times no time, or less infinity, would be NaN.
TEST(RecurrentNumerics, RatesWithoutEndForgetAtOnce) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const bool bounded : {false, true}) {
    const Problem<DeltaGates> problem =
        delta_gates_case({.rows = 3, .heads = 3, .width = 1, .bounded = bounded}).make();
    DeltaGates op = problem.op;
    for (int64_t h = 0; h < 3; ++h) {
      op.a_log.row<float>(0)[h] = h == 0 ? 89.0f : h == 1 ? 1e30f : kInfinity;
      op.dt_bias.row<float>(0)[h] = 0.0f;
      for (int64_t t = 0; t < 3; ++t) {
        op.a.row<float>(t)[h] = static_cast<float>(t - 1) * 90.0f;  // softplus(-90) is 0
      }
    }
    for (const std::string_view isa : supported_isas()) {
      make_cpu_backend(isa)->run({}, op);
      for (int64_t h = 0; h < 3; ++h) {
        EXPECT_EQ(op.log_decay.row<float>(0)[h], 0.0f);
        EXPECT_EQ(op.log_decay.row<float>(1)[h], bounded ? -2.5f : kLogDecayMin);
        EXPECT_EQ(op.log_decay.row<float>(2)[h], bounded ? -5.0f : kLogDecayMin);
      }
      if (bounded) {
        op.attributes.lower_bound = -300.0f;
        make_cpu_backend(isa)->run({}, op);
        EXPECT_EQ(op.log_decay.row<float>(2)[0], kLogDecayMin);
        op.attributes.lower_bound = -5.0f;
      }
    }
  }
}

void define(const SigmoidMul& op, int64_t t, int64_t i) {
  const float gate = op.gate.row<float>(t)[op.gate.columns == 1 ? 0 : i];
  const float product = op.x.row<float>(t)[i] * sigmoid_f32(gate);
  set_number(op.out, t, i, op.addend ? op.addend.row<float>(t)[i] + product : product);
}

void define(const SituMul& op, int64_t t, int64_t i) {
  const float beta = op.attributes.beta;
  const float linear_beta = op.attributes.linear_beta;
  const float gate = op.gate.row<float>(t)[i];
  float up = op.up.row<float>(t)[i];
  if (linear_beta != 0.0f) {
    up = linear_beta * tanh_f32(up / linear_beta);
  }
  const float bounded = beta * tanh_f32(gate / beta);
  const float activated = bounded * sigmoid_f32(gate);
  set_number(op.out, t, i, activated * up);
}

template <class Op>
void define(const Op& op) {
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      define(op, t, i);
    }
  }
}

void define(const DeltaGates& op) {
  const DeltaGatesAttributes& a = op.attributes;
  const int64_t width = op.log_decay.columns / a.heads;
  for (int64_t t = 0; t < op.beta.rows; ++t) {
    for (int64_t i = 0; i < op.log_decay.columns; ++i) {
      const float rate = decay_rate(op.a_log.row<float>(0)[i / width]);
      const float z = op.a.row<float>(t)[i] + op.dt_bias.row<float>(0)[i];
      op.log_decay.row<float>(t)[i] =
          a.bounded ? std::max(a.lower_bound * sigmoid_f32(rate * z), kLogDecayMin)
                    : log_decay(rate, softplus_f32(z));
    }
    for (int64_t h = 0; h < a.heads; ++h) {
      op.beta.row<float>(t)[h] = sigmoid_f32(op.b.row<float>(t)[h]);
    }
  }
}

void define(const GatedRmsNorm& op) {
  const GatedRmsNormAttributes& a = op.attributes;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t begin = 0; begin < op.out.columns; begin += a.dim) {
      const auto gate = [&](int64_t i) {
        const float g = op.gate.row<float>(t)[begin + i];
        return a.silu ? silu(g) : sigmoid_f32(g);
      };
      RowSum squares;
      std::vector<float> y;
      for (int64_t i = 0; i < a.dim; ++i) {
        const float x = op.x.row<float>(t)[begin + i];
        y.push_back(a.gate_first ? x * gate(i) : x);
        squares.add(i, y[i], y[i]);
      }
      const float mean = squares.total() / static_cast<float>(a.dim);
      const float inverse = 1.0f / std::sqrt(mean + a.eps);
      for (int64_t i = 0; i < a.dim; ++i) {
        const float normed = y[i] * inverse;
        const float weighted = normed * op.weight.row<float>(0)[(begin + i) % op.weight.columns];
        set_number(op.out, t, begin + i, a.gate_first ? weighted : weighted * gate(i));
      }
    }
  }
}

void define(const DepthMix& op) {
  const int64_t width = op.out.columns;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    std::vector<const float*> sources;
    for (int64_t j = 0; j < op.attributes.banks_used; ++j) {
      sources.push_back(op.banks.row<float>(t) + j * width);
    }
    sources.push_back(op.running.row<float>(t));
    std::vector<float> shares;
    float max = -std::numeric_limits<float>::infinity();
    for (const float* source : sources) {
      RowSum squares;
      for (int64_t i = 0; i < width; ++i) {
        squares.add(i, source[i], source[i]);
      }
      const float mean = squares.total() / static_cast<float>(width);
      const float inverse = 1.0f / std::sqrt(mean + op.attributes.eps);
      RowSum product;
      for (int64_t i = 0; i < width; ++i) {
        const float normed = source[i] * inverse;
        product.add(i, op.query.row<float>(0)[i], normed * op.norm_weight.row<float>(0)[i]);
      }
      shares.push_back(product.total());
      max = std::max(max, shares.back());
    }
    float sum = 0.0f;
    for (float& share : shares) {
      share = exp_f32(share - max);
      sum = sum + share;
    }
    for (int64_t i = 0; i < width; ++i) {
      float out = 0.0f;
      for (size_t j = 0; j < sources.size(); ++j) {
        out = std::fma(shares[j] / sum, sources[j][i], out);
      }
      op.out.row<float>(t)[i] = out;
    }
  }
}

template <class Op>
void expect_defined_bits(const std::vector<OpCase<Op>>& cases) {
  const auto backend = make_cpu_backend("");
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

TEST(RecurrentNumerics, DeltaGatesHaveTheDefinedBits) {
  expect_defined_bits(delta_gates_cases());
}
TEST(RecurrentNumerics, DepthMixHasTheDefinedBits) {
  expect_defined_bits(depth_mix_cases());
}
TEST(RecurrentNumerics, GatedRmsNormHasTheDefinedBits) {
  expect_defined_bits(gated_rms_norm_cases());
}
TEST(RecurrentNumerics, SigmoidMulHasTheDefinedBits) {
  expect_defined_bits(sigmoid_mul_cases());
}
TEST(RecurrentNumerics, SituMulHasTheDefinedBits) {
  expect_defined_bits(situ_mul_cases());
}

}  // namespace
}  // namespace invar::conformance

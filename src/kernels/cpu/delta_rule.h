// The delta rule for one value head: rows of one chunk, and the page at its end. A template over
// the vector type, instantiated by <isa>/table.cc; docs/numerics.md has the definition.
//
// Rows of one sub-block of 16 places are taken together for the products with the page, whose
// columns are the lanes; the triangular part goes row after row. Keys (and, per channel, decays)
// are kept transposed, so that the scores of 16 earlier rows lie side by side. Every output is one
// ascending chain, so no result depends on how many rows are together.
#pragma once

#include "kernels/cpu/chunk_fold.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/row_products.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V, bool kChannelDecay>
class DeltaRuleTask {
 public:
  [[gnu::always_inline]] explicit DeltaRuleTask(const DeltaRuleKernel& args) : args_(args) {}

  void run() {
    for (first_ = 0; first_ < args_.rows; first_ += count_) {
      const int64_t left = args_.rows - first_;
      place_ = args_.place + first_;
      start_ = place_ / kTogether * kTogether;
      const int64_t fit = start_ + kTogether - place_;
      count_ = left < fit ? left : fit;
      prepare();
      if (count_ == kTogether) {
        ask_for_next_rows();
      }
      multiply_page();
      score();
      solve();
    }
    if (args_.next_page != nullptr) {
      fold_chunk<V>({.page = args_.page,
                     .next_page = args_.next_page,
                     .k_rows = args_.k_rows,
                     .u_rows = args_.u_rows,
                     .gamma_rows = args_.gamma_rows,
                     .gamma_stride = kChannelDecay ? kChunk : 0,
                     .key_dim = args_.key_dim,
                     .value_dim = args_.value_dim});
    }
  }

 private:
  using F = typename V::F;
  static constexpr int64_t kTogether = 16;
  static constexpr int64_t kDimMax = DeltaRuleKernel::kDimMax;
  static constexpr int64_t kChunk = 64;
  static constexpr int64_t kAhead = 8 * kChunk;  // floats: a decoded row's state is in no cache

  [[gnu::always_inline]] static const float* row(const float* base, int64_t stride, int64_t t) {
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(base) + t * stride);
  }

  // Normalised keys and queries, decays, and both together; keys and decays are kept.
  [[gnu::always_inline]] void prepare() {
    for (int64_t r = 0; r < count_; ++r) {
      normalise(row(args_.k, args_.k_stride, first_ + r), both_[2 * r]);
      normalise(row(args_.q, args_.q_stride, first_ + r), both_[2 * r + 1]);
      for (int64_t i = 0; i < args_.key_dim; ++i) {
        args_.k_rows[i * kChunk + place_ + r] = both_[2 * r][i];
      }
      const float* log_decay = row(args_.log_decay, args_.decay_stride, first_ + r);
      if constexpr (kChannelDecay) {
        add_channel_decay(log_decay, r);
      } else {
        const int64_t place = place_ + r;
        const float gamma = place == 0 ? log_decay[0] : args_.gamma_rows[place - 1] + log_decay[0];
        args_.gamma_rows[place] = gamma;
      }
      for (int64_t i = 0; i < args_.key_dim; i += V::kLanes) {
        const F decay = VecMath<V>::exp(kChannelDecay ? V::load(gamma_[r] + i)
                                                      : V::broadcast(args_.gamma_rows[place_ + r]));
        V::store(decayed_[2 * r] + i, V::mul(V::load(both_[2 * r] + i), decay));
        V::store(decayed_[2 * r + 1] + i, V::mul(V::load(both_[2 * r + 1] + i), decay));
      }
    }
  }

  // Rows of one head lie far apart.
  [[gnu::always_inline]] void ask_for_next_rows() const {
    constexpr int64_t kLineFloats = 16;
    for (int64_t t = first_ + kTogether; t < first_ + 2 * kTogether; ++t) {
      for (int64_t i = 0; i < args_.key_dim; i += kLineFloats) {
        __builtin_prefetch(row(args_.q, args_.q_stride, t) + i);
        __builtin_prefetch(row(args_.k, args_.k_stride, t) + i);
      }
      for (int64_t d = 0; d < args_.value_dim; d += kLineFloats) {
        __builtin_prefetch(row(args_.v, args_.v_stride, t) + d);
      }
    }
  }

  // x / sqrt(sum of squares + eps)
  [[gnu::always_inline]] void normalise(const float* x, float* out) const {
    F sum = V::zero();
    for (int64_t i = 0; i < args_.key_dim; i += V::kLanes) {
      const F value = V::load(x + i);
      sum = V::fma(value, value, sum);
    }
    const F inverse = V::broadcast(1.0f / __builtin_sqrtf(V::reduce_sum(sum) + args_.l2_eps));
    for (int64_t i = 0; i < args_.key_dim; i += V::kLanes) {
      V::store(out + i, V::mul(V::load(x + i), inverse));
    }
  }

  [[gnu::always_inline]] void add_channel_decay(const float* log_decay, int64_t r) {
    const int64_t place = place_ + r;
    for (int64_t i = 0; i < args_.key_dim; ++i) {
      float* kept = args_.gamma_rows + i * kChunk + place;
      const float gamma = place == 0 ? log_decay[i] : kept[-1] + log_decay[i];
      *kept = gamma;
      gamma_[r][i] = gamma;
    }
  }

  // acc_ = decayed_ * page
  [[gnu::always_inline]] void multiply_page() {
    for (int64_t r = 0; r < 2 * count_; ++r) {
      for (int64_t d = 0; d < args_.value_dim; d += V::kLanes) {
        V::store(acc_[r] + d, V::zero());
      }
    }
    if (args_.page != nullptr) {
      add_products<V>({.left = decayed_[0],
                       .left_stride = kDimMax,
                       .right = args_.page,
                       .right_stride = args_.value_dim,
                       .acc = acc_[0],
                       .acc_stride = kDimMax,
                       .rows = 2 * count_,
                       .terms = args_.key_dim,
                       .columns = args_.value_dim});
    }
  }

  // score_[2r][l] and score_[2r + 1][l]: of row r's key and query with the key of place l. Places
  // after the row's own have no meaning.
  [[gnu::always_inline]] void score() {
    if constexpr (kChannelDecay) {
      if (start_ > 0) {
        refer_to_start();
        multiply_keys(decayed_[0], earlier_[0], start_);
      }
      for (int64_t r = 0; r < count_; ++r) {
        score_sub_block(r);
      }
      return;
    }
    const int64_t columns = (place_ + count_ + V::kLanes - 1) / V::kLanes * V::kLanes;
    multiply_keys(both_[0], args_.k_rows, columns);
    for (int64_t r = 0; r < count_; ++r) {
      const F gamma = V::broadcast(args_.gamma_rows[place_ + r]);
      for (int64_t l = 0; l < columns; l += V::kLanes) {
        const F decay = VecMath<V>::exp(V::sub(gamma, V::load(args_.gamma_rows + l)));
        V::store(score_[2 * r] + l, V::mul(V::load(score_[2 * r] + l), decay));
        V::store(score_[2 * r + 1] + l, V::mul(V::load(score_[2 * r + 1] + l), decay));
      }
    }
  }

  // score_ = left * keys, of the first places.
  [[gnu::always_inline]] void multiply_keys(const float* left, const float* keys, int64_t columns) {
    for (int64_t r = 0; r < 2 * count_; ++r) {
      for (int64_t l = 0; l < columns; l += V::kLanes) {
        V::store(score_[r] + l, V::zero());
      }
    }
    add_products<V>({.left = left,
                     .left_stride = kDimMax,
                     .right = keys,
                     .right_stride = kChunk,
                     .acc = score_[0],
                     .acc_stride = kChunk,
                     .rows = 2 * count_,
                     .terms = args_.key_dim,
                     .columns = columns});
  }

  // With a decay for each channel it cannot be taken out of the product, and factors of it could
  // overflow. Between a row and an earlier sub-block it is cut at the start of the row's own: both
  // parts are exponentials of differences that are at most 0. earlier_ = the keys before the start,
  // decayed up to it; decayed_ = the rows in hand, decayed from it on.
  void refer_to_start() {
    float start[kDimMax];
    for (int64_t i = 0; i < args_.key_dim; ++i) {
      const float* gamma = args_.gamma_rows + i * kChunk;
      const float* k = args_.k_rows + i * kChunk;
      start[i] = gamma[start_];
      for (int64_t l = 0; l < start_; l += V::kLanes) {
        __builtin_prefetch(gamma + kAhead + l);
        __builtin_prefetch(k + kAhead + l);
        const F decay = VecMath<V>::exp(V::sub(V::broadcast(start[i]), V::load(gamma + l)));
        V::store(earlier_[i] + l, V::mul(V::load(k + l), decay));
      }
    }
    for (int64_t r = 0; r < count_; ++r) {
      for (int64_t i = 0; i < args_.key_dim; i += V::kLanes) {
        const F decay = VecMath<V>::exp(V::sub(V::load(gamma_[r] + i), V::load(start + i)));
        V::store(decayed_[2 * r] + i, V::mul(V::load(both_[2 * r] + i), decay));
        V::store(decayed_[2 * r + 1] + i, V::mul(V::load(both_[2 * r + 1] + i), decay));
      }
    }
  }

  // Scores of row r with its own sub-block, whose places are the lanes.
  void score_sub_block(int64_t r) {
    static_assert(V::kLanes == kTogether);
    F key_score = V::zero();
    F query_score = V::zero();
    for (int64_t i = 0; i < args_.key_dim; ++i) {
      const F gamma = V::load(args_.gamma_rows + i * kChunk + start_);
      const F decay = VecMath<V>::exp(V::sub(V::broadcast(gamma_[r][i]), gamma));
      const F key = V::mul(V::load(args_.k_rows + i * kChunk + start_), decay);
      key_score = V::fma(V::broadcast(both_[2 * r][i]), key, key_score);
      query_score = V::fma(V::broadcast(both_[2 * r + 1][i]), key, query_score);
    }
    V::store(score_[2 * r] + start_, key_score);
    V::store(score_[2 * r + 1] + start_, query_score);
  }

  // acc_[row] += score_[row][begin .. begin + terms) * u
  [[gnu::always_inline]] void add_written(int64_t row, int64_t rows, int64_t begin, int64_t terms) {
    add_products<V>({.left = score_[row] + begin,
                     .left_stride = kChunk,
                     .right = args_.u_rows + begin * args_.value_dim,
                     .right_stride = args_.value_dim,
                     .acc = acc_[row],
                     .acc_stride = kDimMax,
                     .rows = rows,
                     .terms = terms,
                     .columns = args_.value_dim});
  }

  // What each row writes (u) and reads (out).
  [[gnu::always_inline]] void solve() {
    add_written(0, 2 * count_, 0, place_);
    const F scale = V::broadcast(args_.scale);
    for (int64_t r = 0; r < count_; ++r) {
      add_written(2 * r, 1, place_, r);
      const float* v = row(args_.v, args_.v_stride, first_ + r);
      const F beta = V::broadcast(*row(args_.beta, args_.beta_stride, first_ + r));
      float* u = args_.u_rows + (place_ + r) * args_.value_dim;
      for (int64_t d = 0; d < args_.value_dim; d += V::kLanes) {
        V::store(u + d, V::mul(beta, V::sub(V::load(v + d), V::load(acc_[2 * r] + d))));
      }
      add_written(2 * r + 1, 1, place_, r + 1);
      auto* out = reinterpret_cast<float*>(reinterpret_cast<char*>(args_.out) +
                                           (first_ + r) * args_.out_stride);
      for (int64_t d = 0; d < args_.value_dim; d += V::kLanes) {
        V::store(out + d, V::mul(V::load(acc_[2 * r + 1] + d), scale));
      }
    }
  }

  const DeltaRuleKernel& args_;
  int64_t first_ = 0;  // row of args_ of the rows in hand
  int64_t place_ = 0;  // its place in the chunk
  int64_t start_ = 0;  // the first place of its sub-block
  int64_t count_ = 0;
  // Of row r of the rows in hand, key at 2r and query at 2r + 1.
  float both_[2 * kTogether][kDimMax];     // normalised
  float decayed_[2 * kTogether][kDimMax];  // times exp(gamma)
  float acc_[2 * kTogether][kDimMax];
  float score_[2 * kTogether][kChunk];
  // With a decay for each channel:
  float gamma_[kTogether][kDimMax];
  float earlier_[kDimMax][kChunk];
};

template <class V>
void delta_rule(const DeltaRuleKernel& args) {
  if (args.channel_decay) {
    DeltaRuleTask<V, true>(args).run();
  } else {
    DeltaRuleTask<V, false>(args).run();
  }
}

}  // namespace invar::cpu

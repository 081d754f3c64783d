// Mamba-2's state space for a few heads of one group: rows of one chunk, and the pages at its end.
// A template over the vector type, instantiated by <isa>/table.cc; docs/numerics.md has the
// definition.
//
// The products of c with the chunk's b are computed once for all heads. Rows are taken 16 together;
// every output is one ascending chain, so no result depends on how many rows are together.
#pragma once

#include "kernels/cpu/chunk_fold.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/row_products.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
class SsdTask {
 public:
  [[gnu::always_inline]] explicit SsdTask(const SsdKernel& args) : args_(args) {}

  void run() {
    for (int64_t first = 0; first < args_.rows; first += kTogether) {
      const int64_t left = args_.rows - first;
      first_ = first;
      place_ = args_.place + first;
      count_ = left < kTogether ? left : kTogether;
      prepare();
      score();
      for (int64_t h = 0; h < args_.heads; ++h) {
        multiply_page(h);
        weigh(h);
        finish(h);
      }
    }
    for (int64_t h = 0; args_.next_page != nullptr && h < args_.heads; ++h) {
      const int64_t page = h * args_.state_size * args_.head_dim;
      fold_chunk<V>({.page = args_.page != nullptr ? args_.page + page : nullptr,
                     .next_page = args_.next_page + page,
                     .k_rows = args_.b_rows,
                     .u_rows = x_rows(h),
                     .gamma_rows = gamma_rows(h),
                     .gamma_stride = 0,
                     .key_dim = args_.state_size,
                     .value_dim = args_.head_dim});
    }
  }

 private:
  using F = typename V::F;
  static constexpr int64_t kTogether = 16;
  static constexpr int64_t kDimMax = SsdKernel::kDimMax;
  static constexpr int64_t kChunk = 64;

  [[gnu::always_inline]] static const float* row(const float* base, int64_t stride, int64_t t) {
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(base) + t * stride);
  }
  float* x_rows(int64_t h) const { return args_.x_rows + h * kChunk * args_.head_dim; }
  float* gamma_rows(int64_t h) const { return args_.gamma_rows + h * kChunk; }

  // Keeps b, dt x and gamma of the rows in hand.
  [[gnu::always_inline]] void prepare() {
    const int heads = static_cast<int>(args_.heads);
    const F rate = VecMath<V>::decay_rate(V::load_partial(args_.a_log, heads));
    const F dt_min = V::broadcast(args_.dt_min);
    const F dt_max = V::broadcast(args_.dt_max);
    float step[V::kLanes];   // dt of each head
    float decay[V::kLanes];  // the logarithm of what is left of the state
    for (int64_t r = 0; r < count_; ++r) {
      const int64_t place = place_ + r;
      const float* b = row(args_.b, args_.b_stride, first_ + r);
      for (int64_t n = 0; n < args_.state_size; ++n) {
        args_.b_rows[n * kChunk + place] = b[n];
      }
      F dt = V::load_partial(row(args_.dt, args_.dt_stride, first_ + r), heads);
      dt = VecMath<V>::softplus(V::add(dt, V::load_partial(args_.dt_bias, heads)));
      dt = V::max(dt, dt_min);
      dt = V::select(V::less(dt_max, dt), dt_max, dt);
      V::store(step, dt);
      V::store(decay, VecMath<V>::log_decay(rate, dt));
      const float* x = row(args_.x, args_.x_stride, first_ + r);
      for (int64_t h = 0; h < args_.heads; ++h) {
        float* gamma = gamma_rows(h) + place;
        *gamma = place == 0 ? decay[h] : gamma[-1] + decay[h];
        const F factor = V::broadcast(step[h]);
        for (int64_t d = 0; d < args_.head_dim; d += V::kLanes) {
          V::store(x_rows(h) + place * args_.head_dim + d,
                   V::mul(factor, V::load(x + h * args_.head_dim + d)));
        }
      }
    }
  }

  // score_[r][l] = c of row r times b of place l; places after the row's own have no meaning.
  [[gnu::always_inline]] void score() {
    columns_ = (place_ + count_ + V::kLanes - 1) / V::kLanes * V::kLanes;
    for (int64_t r = 0; r < count_; ++r) {
      const float* c = row(args_.c, args_.c_stride, first_ + r);
      for (int64_t n = 0; n < args_.state_size; n += V::kLanes) {
        V::store(c_[r] + n, V::load(c + n));
      }
      for (int64_t l = 0; l < columns_; l += V::kLanes) {
        V::store(score_[r] + l, V::zero());
      }
    }
    add_products<V>({.left = c_[0],
                     .left_stride = kDimMax,
                     .right = args_.b_rows,
                     .right_stride = kChunk,
                     .acc = score_[0],
                     .acc_stride = kChunk,
                     .rows = count_,
                     .terms = args_.state_size,
                     .columns = columns_});
  }

  // acc_ = (exp(gamma) c) * page
  [[gnu::always_inline]] void multiply_page(int64_t h) {
    for (int64_t r = 0; r < count_; ++r) {
      for (int64_t d = 0; d < args_.head_dim; d += V::kLanes) {
        V::store(acc_[r] + d, V::zero());
      }
      const F decay = VecMath<V>::exp(V::broadcast(gamma_rows(h)[place_ + r]));
      for (int64_t n = 0; n < args_.state_size; n += V::kLanes) {
        V::store(decayed_[r] + n, V::mul(V::load(c_[r] + n), decay));
      }
    }
    if (args_.page != nullptr) {
      add_products<V>({.left = decayed_[0],
                       .left_stride = kDimMax,
                       .right = args_.page + h * args_.state_size * args_.head_dim,
                       .right_stride = args_.head_dim,
                       .acc = acc_[0],
                       .acc_stride = kDimMax,
                       .rows = count_,
                       .terms = args_.state_size,
                       .columns = args_.head_dim});
    }
  }

  // weight_[r][l] = score_[r][l] * exp(gamma_r - gamma_l)
  [[gnu::always_inline]] void weigh(int64_t h) {
    const float* gamma = gamma_rows(h);
    for (int64_t r = 0; r < count_; ++r) {
      const F own = V::broadcast(gamma[place_ + r]);
      for (int64_t l = 0; l < columns_; l += V::kLanes) {
        const F decay = VecMath<V>::exp(V::sub(own, V::load(gamma + l)));
        V::store(weight_[r] + l, V::mul(V::load(score_[r] + l), decay));
      }
    }
  }

  [[gnu::always_inline]] void add_rows(int64_t h, int64_t r, int64_t rows, int64_t begin,
                                       int64_t terms) {
    add_products<V>({.left = weight_[r] + begin,
                     .left_stride = kChunk,
                     .right = x_rows(h) + begin * args_.head_dim,
                     .right_stride = args_.head_dim,
                     .acc = acc_[r],
                     .acc_stride = kDimMax,
                     .rows = rows,
                     .terms = terms,
                     .columns = args_.head_dim});
  }

  [[gnu::always_inline]] void finish(int64_t h) {
    add_rows(h, 0, count_, 0, place_);
    const F skip = V::broadcast(args_.d[h]);
    for (int64_t r = 0; r < count_; ++r) {
      add_rows(h, r, 1, place_, r + 1);
      const float* x = row(args_.x, args_.x_stride, first_ + r) + h * args_.head_dim;
      auto* out = reinterpret_cast<float*>(reinterpret_cast<char*>(args_.out) +
                                           (first_ + r) * args_.out_stride) +
                  h * args_.head_dim;
      for (int64_t d = 0; d < args_.head_dim; d += V::kLanes) {
        V::store(out + d, V::fma(skip, V::load(x + d), V::load(acc_[r] + d)));
      }
    }
  }

  const SsdKernel& args_;
  int64_t first_ = 0;  // row of args_ of the rows in hand
  int64_t place_ = 0;  // its place in the chunk
  int64_t count_ = 0;
  int64_t columns_ = 0;  // places up to the last row in hand, a multiple of 16
  float c_[kTogether][kDimMax];
  float decayed_[kTogether][kDimMax];
  float acc_[kTogether][kDimMax];
  float score_[kTogether][kChunk];
  float weight_[kTogether][kChunk];
};

template <class V>
void ssd(const SsdKernel& args) {
  SsdTask<V>(args).run();
}

}  // namespace invar::cpu

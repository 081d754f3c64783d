// Products of rows with a matrix, added to accumulators in memory: the inner loop of recurrent
// kernels. Lanes are columns; each output is one ascending chain, so how rows and columns are
// tiled, and where a chain is interrupted, changes no bit. Few rows read a matrix that is in no
// cache (a decoded row its state), so they ask for it ahead.
#pragma once

#include <cstdint>

namespace invar::cpu {

// acc[r][d] = fma(left[r][j], right[j][d], acc[r][d]) for j = 0 .. terms - 1. Strides in floats.
struct RowProducts {
  const float* left;
  int64_t left_stride;
  const float* right;
  int64_t right_stride;
  float* acc;
  int64_t acc_stride;
  int64_t rows;
  int64_t terms;
  int64_t columns;  // a multiple of 16
};

template <class V>
struct RowProductsLoop {
  using F = typename V::F;
  // Floats: whole rows of every matrix that is multiplied, so that the columns stay the same. What
  // lies behind a matrix is what is read next, or nothing, where asking does nothing.
  static constexpr int64_t kAhead = 1024;

  template <int kRows>
  static constexpr int kBeside = V::kAccumulators / kRows > 8   ? 8
                                 : V::kAccumulators / kRows > 1 ? V::kAccumulators / kRows
                                                                : 1;

  template <int kRows, int kVectors>
  static void tile(const RowProducts& p, int64_t r, int64_t d) {
    F acc[kRows][kVectors];
    float* out = p.acc + r * p.acc_stride + d;
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int n = 0; n < kVectors; ++n) {
        acc[i][n] = V::load(out + i * p.acc_stride + n * V::kLanes);
      }
    }
    const float* left = p.left + r * p.left_stride;
    const float* right = p.right + d;
    for (int64_t j = 0; j < p.terms; ++j) {
      F value[kVectors];
#pragma GCC unroll 8
      for (int n = 0; n < kVectors; ++n) {
        value[n] = V::load(right + n * V::kLanes);
        if constexpr (kRows <= 2) {
          __builtin_prefetch(right + n * V::kLanes + kAhead);
        }
      }
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        const F factor = V::broadcast(left[i * p.left_stride + j]);
#pragma GCC unroll 8
        for (int n = 0; n < kVectors; ++n) {
          acc[i][n] = V::fma(factor, value[n], acc[i][n]);
        }
      }
      right += p.right_stride;
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int n = 0; n < kVectors; ++n) {
        V::store(out + i * p.acc_stride + n * V::kLanes, acc[i][n]);
      }
    }
  }

  // Rows [begin, end), a multiple of kRows, of the columns from d on. The matrix's columns of a
  // tile stay in the first cache while all rows pass them.
  template <int kRows, int kVectors>
  [[gnu::always_inline]] static void rows(const RowProducts& p, int64_t begin, int64_t end,
                                          int64_t d) {
    for (; d + kVectors * V::kLanes <= p.columns; d += kVectors * V::kLanes) {
      for (int64_t r = begin; r < end; r += kRows) {
        tile<kRows, kVectors>(p, r, d);
      }
    }
    if constexpr (kVectors > 1) {
      rows<kRows, kVectors / 2>(p, begin, end, d);
    }
  }

  template <int kRows>
  [[gnu::always_inline]] static void rows(const RowProducts& p, int64_t begin, int64_t end) {
    if (begin < end) {
      rows<kRows, kBeside<kRows>>(p, begin, end, 0);
    }
  }
};

template <class V>
[[gnu::always_inline]] inline void add_products(const RowProducts& p) {
  const int64_t fours = p.rows / 4 * 4;
  const int64_t twos = p.rows / 2 * 2;
  RowProductsLoop<V>::template rows<4>(p, 0, fours);
  RowProductsLoop<V>::template rows<2>(p, fours, twos);
  RowProductsLoop<V>::template rows<1>(p, twos, p.rows);
}

}  // namespace invar::cpu

// Products of rows with a matrix, added to accumulators in memory: the inner loop of recurrent
// kernels. Lanes are columns; each output is one ascending chain, so how rows and columns are
// tiled, and where a chain is interrupted, changes no bit.
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

  template <int kRows>
  [[gnu::always_inline]] static void rows(const RowProducts& p, int64_t r) {
    constexpr int kWide = kBeside<kRows>;
    int64_t d = 0;
    for (; d + kWide * V::kLanes <= p.columns; d += kWide * V::kLanes) {
      tile<kRows, kWide>(p, r, d);
    }
    for (; d < p.columns; d += V::kLanes) {
      tile<kRows, 1>(p, r, d);
    }
  }
};

template <class V>
[[gnu::always_inline]] inline void add_products(const RowProducts& p) {
  int64_t r = 0;
  for (; r + 4 <= p.rows; r += 4) {
    RowProductsLoop<V>::template rows<4>(p, r);
  }
  if (r + 2 <= p.rows) {
    RowProductsLoop<V>::template rows<2>(p, r);
    r += 2;
  }
  if (r < p.rows) {
    RowProductsLoop<V>::template rows<1>(p, r);
  }
}

}  // namespace invar::cpu

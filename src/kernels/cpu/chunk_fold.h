// The state page at a chunk's end, from the page at its start and the chunk's 64 rows, for one
// head. Lanes are value columns; each element is one chain over the rows.
#pragma once

#include "kernels/cpu/row_products.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

// next[i][d] = exp(gamma_63) page[i][d] + sum over l of (exp(gamma_63 - gamma_l) k[i][l]) u[l][d]
struct ChunkFold {
  const float* page;        // [key_dim][value_dim]; null: zeros
  float* next_page;         // [key_dim][value_dim]
  const float* k_rows;      // [key_dim][64]
  const float* u_rows;      // [64][value_dim]
  const float* gamma_rows;  // [64], or [key_dim][64] with a stride of 64
  int64_t gamma_stride;     // from one key column to the next: 0 or 64
  int64_t key_dim;          // a multiple of 16
  int64_t value_dim;        // a multiple of 16
};

template <class V>
void fold_chunk(const ChunkFold& args) {
  using F = typename V::F;
  constexpr int64_t kChunk = 64;
  constexpr int64_t kRows = 16;
  float weight[kRows][kChunk];
  for (int64_t first = 0; first < args.key_dim; first += kRows) {
    for (int64_t i = 0; i < kRows; ++i) {
      const float* gamma = args.gamma_rows + (first + i) * args.gamma_stride;
      const F last = V::broadcast(gamma[kChunk - 1]);
      for (int64_t l = 0; l < kChunk; l += V::kLanes) {
        const F decay = VecMath<V>::exp(V::sub(last, V::load(gamma + l)));
        V::store(weight[i] + l, V::mul(decay, V::load(args.k_rows + (first + i) * kChunk + l)));
      }
      const F decay = VecMath<V>::exp(last);
      const int64_t begin = (first + i) * args.value_dim;
      for (int64_t d = begin; d < begin + args.value_dim; d += V::kLanes) {
        V::store(args.next_page + d,
                 args.page != nullptr ? V::mul(V::load(args.page + d), decay) : V::zero());
      }
    }
    add_products<V>({.left = weight[0],
                     .left_stride = kChunk,
                     .right = args.u_rows,
                     .right_stride = args.value_dim,
                     .acc = args.next_page + first * args.value_dim,
                     .acc_stride = args.value_dim,
                     .rows = kRows,
                     .terms = kChunk,
                     .columns = args.value_dim});
  }
}

}  // namespace invar::cpu

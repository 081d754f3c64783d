// Phase 3 of attention where a value is the first value_dim columns of its key (a latent cache):
// the tile lies as keys do, [head_dim][64], so lanes are queries. Many heads read one such row.
// Each output is the same chain over keys as in attention_own_values.h.
#pragma once

#include "kernels/cpu/attention_loops.h"

namespace invar::cpu {

template <class V, class T>
struct KeyValues {
  using F = typename V::F;
  using M = typename V::M;
  using Tile = AttentionTile<T>;
  static constexpr int kQueriesMax = AttentionKernel::kQueriesMax;
  static constexpr int64_t kHeadDimMax = AttentionKernel::kHeadDimMax;
  static constexpr int64_t kTileKeys = kAttentionTileKeys;
  // Dimensions side by side within the registers; divides 16.
  static constexpr int kBeside = V::kAccumulators < 8 ? V::kAccumulators : 8;

  struct Sums {
    float of[kHeadDimMax][V::kLanes];
  };

  // --- Where the tiles lie: values have none of their own. ---

  [[gnu::always_inline]] static const T* values(const AttentionKernel&, int64_t) { return nullptr; }
  [[gnu::always_inline]] static const T* read_after_keys(const Tile& tile) { return tile.next_k; }

  [[gnu::always_inline]] static void open(const AttentionKernel& args, Sums& sums, int first) {
    const M closed = V::first(first);
    for (int64_t d = 0; d < args.value_dim; ++d) {
      V::store(sums.of[d], V::select(closed, V::load(sums.of[d]), V::zero()));
    }
  }

  static void weigh(const AttentionKernel& args, Sums& sums, const Tile& tile,
                    const TileWeights& weights) {
    const int keys = weights.keys[args.queries - 1];
    float by_key[kTileKeys][V::kLanes];
    for (int j = 0; j < keys; ++j) {
      V::store(by_key[j], V::zero());
      for (int g = weights.first; g < args.queries; ++g) {
        by_key[j][g] = weights.weight[g][j];
      }
    }
    for (int64_t d = 0; d < args.value_dim; d += kBeside) {
      weigh_block(args, sums, tile, weights, by_key, d);
    }
  }

  [[gnu::always_inline]] static void merge(const AttentionKernel& args, Sums& total,
                                           const float* total_factor, const Sums& partial,
                                           const float* partial_factor, int first) {
    const F keep = V::load(total_factor);
    const F take = V::load(partial_factor);
    const M closed = V::first(first);
    for (int64_t d = 0; d < args.value_dim; ++d) {
      const F old = V::load(total.of[d]);
      const F merged = V::fma(V::load(partial.of[d]), take, V::mul(old, keep));
      V::store(total.of[d], V::select(closed, old, merged));
    }
  }

  template <class Out>
  [[gnu::always_inline]] static void finish(const AttentionKernel& args, const Sums& total,
                                            const float* sum) {
    const F divisor = V::load(sum);
    for (int64_t begin = 0; begin < args.value_dim; begin += V::kLanes) {
      float by_dim[V::kLanes][V::kLanes];
      for (int64_t d = 0; d < V::kLanes; ++d) {
        V::store(by_dim[d], V::div(V::load(total.of[begin + d]), divisor));
      }
      for (int g = 0; g < args.queries; ++g) {
        float line[V::kLanes];
        for (int64_t d = 0; d < V::kLanes; ++d) {
          line[d] = by_dim[d][g];
        }
        V::store(static_cast<Out*>(args.out[g]) + begin, V::load(line));
      }
    }
  }

 private:
  // Dimensions from d on: of_g = of_g * rescale[g], then of_g += weight_gj * v_j, j ascending.
  static void weigh_block(const AttentionKernel& args, Sums& sums, const Tile& tile,
                          const TileWeights& weights, const float (*by_key)[V::kLanes], int64_t d) {
    const int together = weights.keys[weights.first];
    const int keys = weights.keys[args.queries - 1];
    const F rescale = V::load(weights.rescale);
    float value[kBeside][kTileKeys];
    F out[kBeside];
#pragma GCC unroll 8
    for (int i = 0; i < kBeside; ++i) {
      for (int64_t j = 0; j < keys; j += V::kLanes) {
        V::store(value[i] + j, V::load(tile.k + (d + i) * kTileKeys + j));
      }
      out[i] = V::mul(V::load(sums.of[d + i]), rescale);
    }
    for (int j = 0; j < together; ++j) {
      const F weight = V::load(by_key[j]);
#pragma GCC unroll 8
      for (int i = 0; i < kBeside; ++i) {
        out[i] = V::fma(weight, V::broadcast(value[i][j]), out[i]);
      }
    }
    // Keys that only the later queries see.
    int blind = weights.first;
    for (int j = together; j < keys; ++j) {
      while (weights.keys[blind] <= j) {
        ++blind;
      }
      const M unseen = V::first(blind);
      const F weight = V::load(by_key[j]);
#pragma GCC unroll 8
      for (int i = 0; i < kBeside; ++i) {
        const F sum = V::fma(weight, V::broadcast(value[i][j]), out[i]);
        out[i] = V::select(unseen, out[i], sum);
      }
    }
    const M closed = V::first(weights.first);
#pragma GCC unroll 8
    for (int i = 0; i < kBeside; ++i) {
      V::store(sums.of[d + i], V::select(closed, V::load(sums.of[d + i]), out[i]));
    }
  }
};

}  // namespace invar::cpu

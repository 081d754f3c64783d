// Phase 3 of attention where values have a cache of their own, [64][head_dim] a tile: lanes are
// the head's dimensions, and each value is loaded once for all queries.
#pragma once

#include "kernels/cpu/attention_loops.h"

namespace invar::cpu {

template <class V, class T>
struct OwnValues {
  using F = typename V::F;
  using Loops = AttentionLoops<V>;
  using Tile = AttentionTile<T>;
  static constexpr int kQueriesMax = AttentionKernel::kOwnQueriesMax;
  static constexpr int64_t kHeadDimMax = AttentionKernel::kOwnHeadDimMax;

  struct Sums {
    float of[kQueriesMax][kHeadDimMax];
  };

  // --- Where the tiles lie. Reading keys, each step asks for as many bytes of values; reading
  // values, for as many of the next tile's keys: both have 64 * head_dim elements. ---

  [[gnu::always_inline]] static const T* values(const AttentionKernel& args, int64_t kv_block) {
    return reinterpret_cast<const T*>(static_cast<const char*>(args.v_cache) +
                                      kv_block * args.v_stride);
  }
  [[gnu::always_inline]] static const T* read_after_keys(const Tile& tile) { return tile.v; }

  [[gnu::always_inline]] static void open(const AttentionKernel& args, Sums& sums, int first) {
    for (int g = first; g < args.queries; ++g) {
      for (int64_t d = 0; d < args.head_dim; d += V::kLanes) {
        V::store(sums.of[g] + d, V::zero());
      }
    }
  }

  // All queries together as far as all keys go.
  [[gnu::always_inline]] static void weigh(const AttentionKernel& args, Sums& sums,
                                           const Tile& tile, const TileWeights& weights) {
    const int first = weights.first;
    const int together = weights.keys[first];
    weigh_all(args, sums, tile, weights, {first, args.queries, 0, together});
    float once[V::kLanes];  // already rescaled; times 1 is exact
    V::store(once, V::broadcast(1.0f));
    const TileWeights rest{.weight = weights.weight, .rescale = once, .keys = nullptr, .first = 0};
    for (int g = first + 1; g < args.queries; ++g) {
      if (weights.keys[g] > together) {
        weigh_all(args, sums, tile, rest, {g, g + 1, together, weights.keys[g]});
      }
    }
  }

  [[gnu::always_inline]] static void merge(const AttentionKernel& args, Sums& total,
                                           const float* total_factor, const Sums& partial,
                                           const float* partial_factor, int first) {
    for (int g = first; g < args.queries; ++g) {
      const F keep = V::broadcast(total_factor[g]);
      const F take = V::broadcast(partial_factor[g]);
      for (int64_t d = 0; d < args.head_dim; d += V::kLanes) {
        const F kept = V::mul(V::load(total.of[g] + d), keep);
        V::store(total.of[g] + d, V::fma(V::load(partial.of[g] + d), take, kept));
      }
    }
  }

  template <class Out>
  [[gnu::always_inline]] static void finish(const AttentionKernel& args, const Sums& total,
                                            const float* sum) {
    for (int g = 0; g < args.queries; ++g) {
      auto* out = static_cast<Out*>(args.out[g]);
      const F divisor = V::broadcast(sum[g]);
      for (int64_t d = 0; d < args.head_dim; d += V::kLanes) {
        V::store(out + d, V::div(V::load(total.of[g] + d), divisor));
      }
    }
  }

 private:
  // Queries [first, last) and keys [begin, end).
  struct Range {
    int first;
    int last;
    int begin;
    int end;
  };

  // of_g = of_g * rescale[g], then of_g += weight_gj * v_j, j ascending.
  [[gnu::always_inline]] static void weigh_all(const AttentionKernel& args, Sums& sums,
                                               const Tile& tile, const TileWeights& weights,
                                               const Range& range) {
    Loops::for_queries(range.first, range.last, [&]<int kQueries>(int g) {
      constexpr int64_t kBeside = Loops::template kVectorsBeside<kQueries>;
      int64_t d = 0;
      for (; d + kBeside * V::kLanes <= args.head_dim; d += kBeside * V::kLanes) {
        weigh_block<kQueries, kBeside>(args, sums, tile, weights, {g, d, range.begin, range.end});
      }
      for (; d < args.head_dim; d += V::kLanes) {
        weigh_block<kQueries, 1>(args, sums, tile, weights, {g, d, range.begin, range.end});
      }
    });
  }

  // Queries from g on, dimensions from d on, keys [begin, end).
  struct Place {
    int g;
    int64_t d;
    int begin;
    int end;
  };

  template <int kQueries, int kVectors>
  static void weigh_block(const AttentionKernel& args, Sums& sums, const Tile& tile,
                          const TileWeights& weights, const Place& at) {
    F out[kQueries][kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
      const F factor = V::broadcast(weights.rescale[at.g + i]);
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        out[i][n] = V::mul(V::load(sums.of[at.g + i] + at.d + n * V::kLanes), factor);
      }
    }
    const float* weight = weights.weight[at.g];
    for (int j = at.begin; j < at.end; ++j) {
      const int64_t first = j * args.head_dim + at.d;
      F value[kVectors];
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        value[n] = V::load(tile.v + first + n * V::kLanes);
      }
      if (args.cold) {
        Loops::template prefetch<kVectors>(tile.next_k + first);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kQueries; ++i) {
        const F factor = V::broadcast(weight[i * kAttentionTileKeys + j]);
#pragma GCC unroll 4
        for (int n = 0; n < kVectors; ++n) {
          out[i][n] = V::fma(factor, value[n], out[i][n]);
        }
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        V::store(sums.of[at.g + i] + at.d + n * V::kLanes, out[i][n]);
      }
    }
  }
};

}  // namespace invar::cpu

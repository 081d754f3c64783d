// Causal attention of up to 8 query vectors over one kv head of the paged cache. A template over
// the vector type and the cache's element, instantiated by <isa>/table.cc.
//
// The order of every sum is fixed by absolute positions (docs/numerics.md): tiles of 64 keys, one
// chain per score over the head's dimensions, one chain per output over the keys of a partial
// result, partial results closed at every 256 positions. Vectors are computed together only to
// load keys and values once: each has its own accumulators, so none can change another's bits.
#pragma once

#include "kernels/cpu/attention_key_values.h"
#include "kernels/cpu/attention_own_values.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

// `Values` says where values lie and holds the sums of them: attention_own_values.h or
// attention_key_values.h.
template <class V, class T, template <class, class> class SomeValues>
class AttentionTask {
 public:
  [[gnu::always_inline]] explicit AttentionTask(const AttentionKernel& args) : args_(args) {
    for (int g = 0; g < args.queries; ++g) {
      for (int64_t d = 0; d < args.head_dim; d += V::kLanes) {
        V::store(q_[g] + d, V::load(args.q[g] + d));
      }
    }
  }

  // Calls borders, tiles and the division at the end in order.
  void run() {
    const int last = args_.queries - 1;
    int first = 0;  // vectors before it have seen all their keys
    for (int64_t border = 0; border <= args_.position[last]; border += kBorderRows) {
      while (args_.position[first] < border) {
        ++first;
      }
      // The first partial result is the total so far; later ones are merged into it.
      Partial& partial = border == 0 ? total_ : partial_;
      open(partial, first);
      int active = first;
      for (int64_t tile = border; tile < border + kBorderRows && tile <= args_.position[last];
           tile += kTileKeys) {
        while (args_.position[active] < tile) {
          ++active;
        }
        add_tile(partial, active, tile);
      }
      if (border != 0) {
        merge(first);
      }
    }
    if (args_.out_element == Element::kBF16) {
      Values::template finish<BF16>(args_, total_.out, total_.sum);
    } else {
      Values::template finish<float>(args_, total_.out, total_.sum);
    }
  }

 private:
  using F = typename V::F;
  using Values = SomeValues<V, T>;
  using Loops = AttentionLoops<V>;
  static constexpr int kQueriesMax = Values::kQueriesMax;
  static constexpr int64_t kHeadDimMax = Values::kHeadDimMax;
  static constexpr int64_t kTileKeys = kAttentionTileKeys;
  static constexpr int64_t kBorderRows = 256;
  static_assert(V::kLanes == 16 && kQueriesMax <= V::kLanes, "a lane per query in `rescale`");

  // A softmax over a range of keys: sum of exp(score - max), and the same sum of values.
  struct Partial {
    float max[V::kLanes];  // lane g belongs to query g; lanes without a query are never used
    float sum[V::kLanes];
    typename Values::Sums out;
  };

  [[gnu::always_inline]] void open(Partial& partial, int first) {
    V::store(partial.max, V::broadcast(-__builtin_inff()));
    V::store(partial.sum, V::zero());
    Values::open(args_, partial.out, first);
  }

  // Phase 1: scores of all keys that some vector may see. Phase 2: max, weights and their sum,
  // vector by vector. Phase 3: weighted values.
  void add_tile(Partial& partial, int first, int64_t tile) {
    const int64_t kv_block = args_.block_table[tile / kTileKeys];
    const bool more = tile + kTileKeys <= args_.position[args_.queries - 1];
    const int64_t next = more ? args_.block_table[tile / kTileKeys + 1] : kv_block;
    const AttentionTile<T> tiles{
        .k = keys_of(kv_block), .v = Values::values(args_, kv_block), .next_k = keys_of(next)};
    int keys[kQueriesMax] = {};
    for (int g = first; g < args_.queries; ++g) {
      const int64_t seen = args_.position[g] - tile + 1;
      keys[g] = static_cast<int>(seen < kTileKeys ? seen : kTileKeys);
    }
    scores(tiles, first, (keys[args_.queries - 1] + V::kLanes - 1) / V::kLanes);
    soften(partial, first, keys);
    Values::weigh(args_, partial.out, tiles,
                  {.weight = score_, .rescale = rescale_, .keys = keys, .first = first});
  }

  // --- Phase 1 ---

  // score_[g][0 .. vectors * 16) = (q_g . k_j) * scale. Lanes are keys.
  [[gnu::always_inline]] void scores(const AttentionTile<T>& tiles, int first, int vectors) {
    Loops::for_queries(first, args_.queries, [&]<int kQueries>(int g) {
      constexpr int kBeside = Loops::template kVectorsBeside<kQueries>;
      int n = 0;
      for (; n + kBeside <= vectors; n += kBeside) {
        scores_block<kQueries, kBeside>(tiles, g, n);
      }
      for (; n < vectors; ++n) {
        scores_block<kQueries, 1>(tiles, g, n);
      }
    });
  }

  template <int kQueries, int kVectors>
  void scores_block(const AttentionTile<T>& tiles, int g, int n) {
    F sum[kQueries][kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        sum[i][j] = V::zero();
      }
    }
    const T* source = tiles.k + n * V::kLanes;
    const T* ahead = Values::read_after_keys(tiles) + n * V::kLanes;
    const float* q = q_[g];
    for (int64_t d = 0; d < args_.head_dim; ++d) {
      F key[kVectors];
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        key[j] = V::load(source + d * kTileKeys + j * V::kLanes);
      }
      if (args_.cold) {
        Loops::template prefetch<kVectors>(ahead + d * kTileKeys);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kQueries; ++i) {
        const F factor = V::broadcast(q[i * kHeadDimMax + d]);
#pragma GCC unroll 4
        for (int j = 0; j < kVectors; ++j) {
          sum[i][j] = V::fma(factor, key[j], sum[i][j]);
        }
      }
    }
    const F scale = V::broadcast(args_.scale);
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        V::store(score_[g + i] + (n + j) * V::kLanes, V::mul(sum[i][j], scale));
      }
    }
  }

  // --- Phase 2 ---

  // score_ becomes exp(score - max); partial.max and .sum are brought up to date, and rescale_ is
  // what the outputs so far must be multiplied by.
  [[gnu::always_inline]] void soften(Partial& partial, int first, const int* keys) {
    float max[V::kLanes];
    float tile_sum[V::kLanes];
    V::store(max, V::load(partial.max));
    V::store(tile_sum, V::zero());
    const F lowest = V::broadcast(-__builtin_inff());
    for (int g = first; g < args_.queries; ++g) {
      const int vectors = (keys[g] + V::kLanes - 1) / V::kLanes;
      F largest = lowest;
      for (int n = 0; n < vectors; ++n) {
        float* score = score_[g] + n * V::kLanes;
        const int left = keys[g] - n * V::kLanes;
        if (left < V::kLanes) {  // keys that the vector may not see
          V::store(score, V::select(V::first(left), V::load(score), lowest));
        }
        largest = V::max(V::load(score), largest);
      }
      const float tile_max = V::reduce_max(largest);
      max[g] = tile_max > max[g] ? tile_max : max[g];
      const F shift = V::broadcast(max[g]);
      F sum = V::zero();
      for (int n = 0; n < vectors; ++n) {
        float* score = score_[g] + n * V::kLanes;
        // Keys that the vector may not see have score -infinity and get weight 0 exactly.
        const F weight = VecMath<V>::exp(V::sub(V::load(score), shift));
        V::store(score, weight);
        sum = V::add(sum, weight);
      }
      tile_sum[g] = V::reduce_sum(sum);
    }
    const F factor = VecMath<V>::exp(V::sub(V::load(partial.max), V::load(max)));
    V::store(rescale_, factor);
    V::store(partial.sum, V::fma(V::load(partial.sum), factor, V::load(tile_sum)));
    V::store(partial.max, V::load(max));
  }

  // --- Borders and the end ---

  // total_ = total_ and partial_ over a common maximum, for the vectors from `first` on.
  void merge(int first) {
    const F total_max = V::load(total_.max);
    const F partial_max = V::load(partial_.max);
    const F max = V::max(partial_max, total_max);
    float total_factor[V::kLanes];
    float partial_factor[V::kLanes];
    V::store(total_factor, VecMath<V>::exp(V::sub(total_max, max)));
    V::store(partial_factor, VecMath<V>::exp(V::sub(partial_max, max)));
    for (int g = first; g < args_.queries; ++g) {
      total_.max[g] = total_.max[g] < partial_.max[g] ? partial_.max[g] : total_.max[g];
      total_.sum[g] =
          __builtin_fmaf(partial_.sum[g], partial_factor[g], total_.sum[g] * total_factor[g]);
    }
    Values::merge(args_, total_.out, total_factor, partial_.out, partial_factor, first);
  }

  [[gnu::always_inline]] const T* keys_of(int64_t kv_block) const {
    return reinterpret_cast<const T*>(static_cast<const char*>(args_.k_cache) +
                                      kv_block * args_.k_stride);
  }

  const AttentionKernel& args_;
  float q_[kQueriesMax][kHeadDimMax];
  float score_[kQueriesMax][kTileKeys];
  float rescale_[V::kLanes];
  Partial total_;
  Partial partial_;
};

template <class V, class T>
void attend(const AttentionKernel& args) {
  if (args.v_cache == nullptr) {
    AttentionTask<V, T, KeyValues>(args).run();
  } else {
    AttentionTask<V, T, OwnValues>(args).run();
  }
}

template <class V>
void attention(const AttentionKernel& args) {
  switch (args.cache_element) {
    case Element::kF32:
      return attend<V, float>(args);
    case Element::kBF16:
      return attend<V, BF16>(args);
    case Element::kF16:
      return attend<V, F16>(args);
  }
}

}  // namespace invar::cpu

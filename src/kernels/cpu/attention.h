// Causal attention of up to 8 query vectors over one kv head of the paged cache. A template over
// the vector type and the cache's element, instantiated by <isa>/table.cc.
//
// The order of every sum is fixed by absolute positions (docs/numerics.md): tiles of 64 keys, one
// chain per score over the head's dimensions, one chain per output over the keys of a partial
// result, partial results closed at every 256 positions. Vectors are computed together only to
// load keys and values once: each has its own accumulators, so none can change another's bits.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V, class T>
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
      finish<BF16>();
    } else {
      finish<float>();
    }
  }

 private:
  using F = typename V::F;
  static constexpr int kQueriesMax = AttentionKernel::kQueriesMax;
  static constexpr int64_t kHeadDimMax = AttentionKernel::kHeadDimMax;
  static constexpr int64_t kTileKeys = 64;
  static constexpr int64_t kBorderRows = 256;
  static constexpr int kTileVectors = 4;  // kTileKeys / kLanes
  static_assert(V::kLanes == 16 && kQueriesMax <= V::kLanes, "a lane per query in `rescale`");

  // A softmax over a range of keys: sum of exp(score - max), and the same sum of values.
  struct Partial {
    float max[V::kLanes];  // lane g belongs to query g; lanes without a query are never used
    float sum[V::kLanes];
    float out[kQueriesMax][kHeadDimMax];
  };

  [[gnu::always_inline]] void open(Partial& partial, int first) {
    V::store(partial.max, V::broadcast(-__builtin_inff()));
    V::store(partial.sum, V::zero());
    for (int g = first; g < args_.queries; ++g) {
      for (int64_t d = 0; d < args_.head_dim; d += V::kLanes) {
        V::store(partial.out[g] + d, V::zero());
      }
    }
  }

  // Phase 1: scores of all keys that some vector may see. Phase 2: max, weights and their sum,
  // vector by vector. Phase 3: weighted values, together as far as all vectors go.
  void add_tile(Partial& partial, int first, int64_t tile) {
    const int64_t kv_block = args_.block_table[tile / kTileKeys];
    const T* k = address(args_.k_cache, kv_block * args_.k_stride);
    const T* v = address(args_.v_cache, kv_block * args_.v_stride);
    const bool more = tile + kTileKeys <= args_.position[args_.queries - 1];
    const int64_t next = more ? args_.block_table[tile / kTileKeys + 1] : kv_block;
    next_k_tile_ = address(args_.k_cache, next * args_.k_stride);
    v_tile_ = v;
    int keys[kQueriesMax] = {};
    for (int g = first; g < args_.queries; ++g) {
      const int64_t seen = args_.position[g] - tile + 1;
      keys[g] = static_cast<int>(seen < kTileKeys ? seen : kTileKeys);
    }
    scores(k, first, (keys[args_.queries - 1] + V::kLanes - 1) / V::kLanes);
    soften(partial, first, keys);
    const int together = keys[first];  // positions ascend, so the first sees the fewest
    weigh_all(partial, v, first, args_.queries, 0, together);
    for (int g = first + 1; g < args_.queries; ++g) {
      if (keys[g] > together) {
        V::store(rescale_, V::broadcast(1.0f));  // already applied; times 1 is exact
        weigh_all(partial, v, g, g + 1, together, keys[g]);
      }
    }
  }

  // Vectors of 16 lanes that `kQueries` queries take side by side within the registers.
  template <int kQueries>
  static constexpr int kVectorsBeside = V::kAccumulators / kQueries >= 4   ? 4
                                        : V::kAccumulators / kQueries >= 2 ? 2
                                                                           : 1;

  // Calls body.template operator()<n>(g) for runs of n queries that cover [first, last).
  template <class Body>
  [[gnu::always_inline]] static void for_queries(int first, int last, Body body) {
    int g = first;
    if constexpr (V::kAccumulators >= 8) {
      for (; last - g >= 8; g += 8) {
        body.template operator()<8>(g);
      }
    }
    for (; last - g >= 4; g += 4) {
      body.template operator()<4>(g);
    }
    if (last - g == 3) {
      body.template operator()<3>(g);
    } else if (last - g == 2) {
      body.template operator()<2>(g);
    } else if (last - g == 1) {
      body.template operator()<1>(g);
    }
  }

  // --- Phase 1 ---

  // score_[g][0 .. vectors * 16) = (q_g . k_j) * scale. Lanes are keys.
  [[gnu::always_inline]] void scores(const T* k, int first, int vectors) {
    for_queries(first, args_.queries, [&]<int kQueries>(int g) {
      constexpr int kBeside = kVectorsBeside<kQueries>;
      int n = 0;
      for (; n + kBeside <= vectors; n += kBeside) {
        scores_block<kQueries, kBeside>(k, g, n);
      }
      for (; n < vectors; ++n) {
        scores_block<kQueries, 1>(k, g, n);
      }
    });
  }

  template <int kQueries, int kVectors>
  void scores_block(const T* k, int g, int n) {
    F sum[kQueries][kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        sum[i][j] = V::zero();
      }
    }
    const T* source = k + n * V::kLanes;
    const float* q = q_[g];
    for (int64_t d = 0; d < args_.head_dim; ++d) {
      F key[kVectors];
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        key[j] = V::load(source + d * kTileKeys + j * V::kLanes);
      }
      if (args_.cold) {
        prefetch<kVectors>(v_tile_ + d * kTileKeys + n * V::kLanes);
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

  // --- Phase 3 ---

  // out_g = out_g * rescale_[g], then out_g += weight_gj * v_j for j in [begin, end), ascending,
  // for the vectors g in [first, last). Lanes are the head's dimensions.
  [[gnu::always_inline]] void weigh_all(Partial& partial, const T* v, int first, int last,
                                        int begin, int end) {
    for_queries(first, last, [&]<int kQueries>(int g) {
      constexpr int64_t kBeside = kVectorsBeside<kQueries>;
      int64_t d = 0;
      for (; d + kBeside * V::kLanes <= args_.head_dim; d += kBeside * V::kLanes) {
        weigh_block<kQueries, kBeside>(partial, v, g, d, begin, end);
      }
      for (; d < args_.head_dim; d += V::kLanes) {
        weigh_block<kQueries, 1>(partial, v, g, d, begin, end);
      }
    });
  }

  template <int kQueries, int kVectors>
  void weigh_block(Partial& partial, const T* v, int g, int64_t d, int begin, int end) {
    F out[kQueries][kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kQueries; ++i) {
      const F factor = V::broadcast(rescale_[g + i]);
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        out[i][n] = V::mul(V::load(partial.out[g + i] + d + n * V::kLanes), factor);
      }
    }
    const float* weight = score_[g];
    const T* source = v + d;
    for (int j = begin; j < end; ++j) {
      F value[kVectors];
#pragma GCC unroll 4
      for (int n = 0; n < kVectors; ++n) {
        value[n] = V::load(source + j * args_.head_dim + n * V::kLanes);
      }
      if (args_.cold) {
        prefetch<kVectors>(next_k_tile_ + j * args_.head_dim + d);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kQueries; ++i) {
        const F factor = V::broadcast(weight[i * kTileKeys + j]);
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
        V::store(partial.out[g + i] + d + n * V::kLanes, out[i][n]);
      }
    }
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
      const F keep = V::broadcast(total_factor[g]);
      const F take = V::broadcast(partial_factor[g]);
      for (int64_t d = 0; d < args_.head_dim; d += V::kLanes) {
        const F kept = V::mul(V::load(total_.out[g] + d), keep);
        V::store(total_.out[g] + d, V::fma(V::load(partial_.out[g] + d), take, kept));
      }
    }
  }

  template <class Out>
  [[gnu::always_inline]] void finish() {
    for (int g = 0; g < args_.queries; ++g) {
      auto* out = static_cast<Out*>(args_.out[g]);
      const F sum = V::broadcast(total_.sum[g]);
      for (int64_t d = 0; d < args_.head_dim; d += V::kLanes) {
        V::store(out + d, V::div(V::load(total_.out[g] + d), sum));
      }
    }
  }

  // Asks for the lines of kVectors vectors. Reading K, each step asks for as many bytes of the V
  // tile; reading V, for as many of the next K tile: both have 64 * head_dim elements. Measured on
  // one key head of 128 over 4096 positions from memory: 2.5 times the speed.
  template <int kVectors>
  [[gnu::always_inline]] static void prefetch(const T* p) {
    constexpr int64_t kBytes = kVectors * V::kLanes * static_cast<int64_t>(sizeof(T));
    constexpr int kIntoL1 = 3;
    for (int64_t i = 0; i < kBytes; i += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(p) + i, 0, kIntoL1);
    }
  }

  [[gnu::always_inline]] static const T* address(const void* cache, int64_t offset) {
    return reinterpret_cast<const T*>(static_cast<const char*>(cache) + offset);
  }

  const AttentionKernel& args_;
  const T* v_tile_ = nullptr;       // of the tile in hand
  const T* next_k_tile_ = nullptr;  // of the tile after it; at the end, of the last one
  float q_[kQueriesMax][kHeadDimMax];
  float score_[kQueriesMax][kTileKeys];
  float rescale_[V::kLanes];
  Partial total_;
  Partial partial_;
};

template <class V>
void attention(const AttentionKernel& args) {
  switch (args.cache_element) {
    case Element::kF32:
      return AttentionTask<V, float>(args).run();
    case Element::kBF16:
      return AttentionTask<V, BF16>(args).run();
    case Element::kF16:
      return AttentionTask<V, F16>(args).run();
  }
}

}  // namespace invar::cpu

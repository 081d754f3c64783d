// What the phases of attention share: a tile, what is known of its keys' weights, and loops that
// compute several queries side by side.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

inline constexpr int64_t kAttentionTileKeys = 64;

// Where the tile in hand lies: keys [dims][64], values [64][dims] where they have a cache of their
// own. `next_k` are the keys of the tile after it; at the end, of the last one.
template <class T>
struct AttentionTile {
  const T* k;
  const T* v;
  const T* next_k;
};

// Of the queries from `first` on: weight[g][j] of keys[g] keys, and what the sums so far must be
// multiplied by (a lane a query). Positions ascend with the queries, so `keys` does.
struct TileWeights {
  const float (*weight)[kAttentionTileKeys];
  const float* rescale;
  const int* keys;
  int first;
};

template <class V>
struct AttentionLoops {
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

  // Asks for the lines of kVectors vectors of what will be read next. Measured on one key head of
  // 128 over 4096 positions from memory: 2.5 times the speed.
  template <int kVectors, class T>
  [[gnu::always_inline]] static void prefetch(const T* p) {
    constexpr int64_t kBytes = kVectors * V::kLanes * static_cast<int64_t>(sizeof(T));
    constexpr int kIntoL1 = 3;
    for (int64_t i = 0; i < kBytes; i += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(p) + i, 0, kIntoL1);
    }
  }
};

}  // namespace invar::cpu

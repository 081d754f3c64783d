// One head of one row into the paged cache. A template over the vector type, instantiated by
// <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

template <class V>
struct KvWriteHead {
  static constexpr int64_t kBlockRows = 64;

  template <class T>
  static void run(const KvWriteKernel& args) {
    auto* k_cache = static_cast<T*>(args.k_cache);
    auto* v_cache = static_cast<T*>(args.v_cache);
    T rounded[V::kLanes];
    for (int64_t d = 0; d < args.head_dim; d += V::kLanes) {  // head_dim is a multiple of 16
      if (args.v != nullptr) {
        V::store(v_cache + d, V::load(args.v + d));
      }
      V::store(rounded, V::load(args.k + d));
      for (int64_t i = 0; i < V::kLanes; ++i) {
        k_cache[(d + i) * kBlockRows] = rounded[i];
      }
    }
  }
};

template <class V>
void kv_write(const KvWriteKernel& args) {
  switch (args.cache_element) {
    case Element::kF32:
      return KvWriteHead<V>::template run<float>(args);
    case Element::kBF16:
      return KvWriteHead<V>::template run<BF16>(args);
    case Element::kF16:
      return KvWriteHead<V>::template run<F16>(args);
  }
}

}  // namespace invar::cpu

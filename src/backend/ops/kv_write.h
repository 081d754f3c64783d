// kv_write: stores the pass's keys and values in the paged cache.
// A kv_block holds 64 positions. Keys are stored transposed, [kv_heads][head_dim][64], so that 64
// scores are computed side by side; values as [kv_heads][64][head_dim]. Row t goes to kv_block
// block_table[row_segment[t], position / 64], place position % 64, rounded to the cache's dtype
// (nearest even). Rows at positions below their segment's write_from are left out: they are
// computed again, and other sequences may share the kv_blocks that hold them.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kKvBlockRows = 64;

struct KvWriteAttributes {
  int64_t kv_heads = 0;
  int64_t head_dim = 0;  // a multiple of 16
};

template <class T>
struct KvWriteArgs {
  static constexpr const char* kName = "kv_write";
  using Attributes = KvWriteAttributes;

  T k;            // [rows, kv_heads * head_dim] f32; rows may be strided
  T v;            // optional: [rows, kv_heads * head_dim] f32; rows may be strided
  T positions;    // [rows, 1] i32
  T row_segment;  // [rows, 1] i32
  T block_table;  // [segments, kv_blocks_max] i32
  T write_from;   // optional: [segments, 1] i32
  T k_cache;      // [kv_blocks, kv_heads * head_dim * 64] f32|f16|bf16
  T v_cache;      // with v: [kv_blocks, kv_heads * 64 * head_dim], dtype as k_cache
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("k", Use::kRead, args.k...);
    visit("v", Use::kOptional, args.v...);
    visit("positions", Use::kRead, args.positions...);
    visit("row_segment", Use::kRead, args.row_segment...);
    visit("block_table", Use::kRead, args.block_table...);
    visit("write_from", Use::kOptional, args.write_from...);
    visit("k_cache", Use::kReadWrite, args.k_cache...);
    visit("v_cache", Use::kReadWrite, args.v_cache...);
  }
};
using KvWrite = KvWriteArgs<TensorView>;

void validate(const KvWrite& op);
Cost cost(const KvWrite& op);

}  // namespace invar

// delta_rule: Gated DeltaNet and Kimi Delta Attention, chunk-anchored. Per value head h, which
// reads key head delta_rule_key_head(h); k and q are L2-normalised first, x / sqrt(sum x^2 +
// l2_eps). With gamma the running sum of log_decay within the chunk and S the chunk's page:
//   u_t = beta_t (v_t - (exp(gamma_t) k_t)^T S - sum_{l < t} <k_t, exp(gamma_t - gamma_l) k_l> u_l)
//   o_t = ((exp(gamma_t) q_t)^T S + sum_{l <= t} <q_t, exp(gamma_t - gamma_l) k_l> u_l) scale
//   S' = exp(gamma_63) S + sum_l (exp(gamma_63 - gamma_l) k_l) u_l^T
// which is the recurrence S <- exp(log_decay) S; u = beta (v - S^T k); S <- S + k u^T; o = S^T q.
// A row at position p reads page p / 64 (none, that is zeros, for page id -1) and the rows of its
// chunk before it; a pass that holds the chunk's last row writes the next page (docs/numerics.md,
// "Recurrent layers").
// Page: S, [value_heads, key_dim, value_dim]. Row_block, for each value head: normalised k
// [key_dim, 64], u [64, value_dim], gamma [64] or [key_dim, 64].
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kDeltaRuleDimMax = 256;

struct DeltaRuleAttributes {
  int64_t key_heads = 0;
  int64_t value_heads = 0;
  int64_t key_dim = 0;         // a multiple of 16, at most kDeltaRuleDimMax
  int64_t value_dim = 0;       // the same
  bool channel_decay = false;  // log_decay per key channel (KDA), else per value head
  bool tiled_heads = false;    // see delta_rule_key_head
  float l2_eps = 0;
  float scale = 0;
};

template <class T>
struct DeltaRuleArgs {
  static constexpr const char* kName = "delta_rule";
  using Attributes = DeltaRuleAttributes;

  T q;            // [rows, key_heads * key_dim] f32; rows may be strided
  T k;            // [rows, key_heads * key_dim] f32
  T v;            // [rows, value_heads * value_dim] f32
  T log_decay;    // [rows, value_heads] or [rows, value_heads * key_dim] f32, at most 0
  T beta;         // [rows, value_heads] f32
  T positions;    // [rows, 1] i32, consecutive within a segment
  T cu_rows;      // [segments + 1, 1] i32
  T state_pages;  // [segments, chunks + 1] i32: page of each boundary from the segment's first
                  // chunk on
  T row_blocks;   // [segments, chunks + 1] i32: row_block of each chunk from the segment's first on
  T pages;        // [state_pages, page columns] f32
  T rows;         // [row_blocks, 64 * row columns] f32
  T out;          // [rows, value_heads * value_dim] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("q", Use::kRead, args.q...);
    visit("k", Use::kRead, args.k...);
    visit("v", Use::kRead, args.v...);
    visit("log_decay", Use::kRead, args.log_decay...);
    visit("beta", Use::kRead, args.beta...);
    visit("positions", Use::kRead, args.positions...);
    visit("cu_rows", Use::kRead, args.cu_rows...);
    visit("state_pages", Use::kRead, args.state_pages...);
    visit("row_blocks", Use::kRead, args.row_blocks...);
    visit("pages", Use::kReadWrite, args.pages...);
    visit("rows", Use::kReadWrite, args.rows...);
    visit("out", Use::kWrite, args.out...);
  }
};
using DeltaRule = DeltaRuleArgs<TensorView>;

// The key head that a value head reads: neighbours share one, h / (value_heads / key_heads); tiled,
// the key heads repeat in turn, h % key_heads.
int64_t delta_rule_key_head(const DeltaRuleAttributes& attributes, int64_t value_head);

// f32 columns of a page and of one of the 64 rows of a row_block.
int64_t delta_rule_page_columns(const DeltaRuleAttributes& attributes);
int64_t delta_rule_row_columns(const DeltaRuleAttributes& attributes);

void validate(const DeltaRule& op);
Cost cost(const DeltaRule& op);

}  // namespace invar

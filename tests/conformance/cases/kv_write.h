// Cases of kv_write. Its one rounding is to nearest even in both backends: the result is exact.
#pragma once

#include "conformance/cases/paged_sequences.h"

namespace invar::conformance {

struct KvWriteSizes {
  std::vector<SegmentSizes> segments;
  int64_t kv_heads;
  int64_t head_dim;
  DType cache = DType::kF32;
  int64_t padding_bytes = 0;
  std::vector<int32_t> write_from = {};  // by segment; empty: none
  bool latent = false;                   // no values
};

inline OpCase<KvWrite> kv_write_case(const KvWriteSizes& s) {
  const PagedSequences paged = paged_sequences(s.segments);
  return {fmt::format("rows={} segments={} kv_heads={} head_dim={} cache={} padding={}{}{}",
                      paged.rows(), paged.segments(), s.kv_heads, s.head_dim, dtype_name(s.cache),
                      s.padding_bytes, s.write_from.empty() ? "" : " write_from",
                      s.latent ? " latent" : ""),
          [s, paged] {
            auto memory = std::make_unique<Memory>();
            Filler filler(6);
            const int64_t width = s.kv_heads * s.head_dim;
            KvWrite op;
            op.k = memory->add({DType::kF32, paged.rows(), width, s.padding_bytes});
            if (!s.latent) {
              op.v = memory->add({DType::kF32, paged.rows(), width, s.padding_bytes});
              filler.uniform(op.v, -4.0, 4.0);
            }
            op.positions = add_column(*memory, paged.positions);
            op.row_segment = add_column(*memory, paged.row_segment);
            op.block_table = add_block_tables(*memory, paged);
            if (!s.write_from.empty()) {
              op.write_from = add_column(*memory, s.write_from);
            }
            op.k_cache = memory->add({s.cache, paged.kv_blocks, width * kKvBlockRows, 64});
            if (!s.latent) {
              op.v_cache = memory->add({s.cache, paged.kv_blocks, width * kKvBlockRows, 64});
            }
            op.attributes = {.kv_heads = s.kv_heads, .head_dim = s.head_dim};
            filler.uniform(op.k, -4.0, 4.0);
            return Problem<KvWrite>{.memory = std::move(memory),
                                    .op = op,
                                    .tolerance = {},
                                    .rows = paged.rows(),
                                    .row_alone = [op](int64_t t) {
                                      KvWrite one = op;
                                      one.k = row_view(op.k, t);
                                      one.v = op.v ? row_view(op.v, t) : TensorView{};
                                      one.positions = row_view(op.positions, t);
                                      one.row_segment = row_view(op.row_segment, t);
                                      return one;
                                    }};
          }};
}

inline std::vector<OpCase<KvWrite>> kv_write_cases() {
  std::vector<OpCase<KvWrite>> cases;
  for (DType cache : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (int64_t head_dim : {16, 48, 64}) {
      cases.push_back(kv_write_case({.segments = {{0, 3}, {63, 2}, {200, 0}, {130, 1}},
                                     .kv_heads = 3,
                                     .head_dim = head_dim,
                                     .cache = cache,
                                     .padding_bytes = 32}));
    }
    cases.push_back(kv_write_case({.segments = {{0, 3}, {63, 2}, {5, 4}, {130, 1}},
                                   .kv_heads = 2,
                                   .head_dim = 16,
                                   .cache = cache,
                                   .write_from = {2, 65, 0, 130}}));
    cases.push_back(kv_write_case({.segments = {{0, 3}, {63, 2}},
                                   .kv_heads = 1,
                                   .head_dim = 80,
                                   .cache = cache,
                                   .latent = true}));
    cases.push_back(kv_write_case({.segments = {}, .kv_heads = 1, .head_dim = 16, .cache = cache}));
  }
  return cases;
}

inline std::vector<OpCase<KvWrite>> kv_write_bench_cases() {
  return {kv_write_case(
              {.segments = {{1023, 1}}, .kv_heads = 8, .head_dim = 128, .cache = DType::kBF16}),
          kv_write_case({.segments = {{0, 512}}, .kv_heads = 8, .head_dim = 128}),
          kv_write_case(
              {.segments = {{0, 512}}, .kv_heads = 8, .head_dim = 128, .cache = DType::kBF16})};
}

}  // namespace invar::conformance

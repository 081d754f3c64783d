// Cases of attention.
#pragma once

#include "backend/ops/attention.h"
#include "conformance/cases/paged_sequences.h"

namespace invar::conformance {

struct AttentionSizes {
  std::vector<SegmentSizes> segments;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_dim;
  int64_t latent_value_dim = 0;  // not 0: values are the first columns of the keys
  float scale;  // 1 / sqrt(head_dim) gives a flat softmax on these inputs, 1 a peaked one
  DType cache = DType::kF32;
  DType out = DType::kF32;
  int64_t padding_bytes = 0;
};

// Inputs are at most 1 in size. A score is a sum of head_dim products whose sizes add up to at most
// head_dim, one rounding each, and the product with scale: an absolute error of (head_dim + 2)
// half ulps of head_dim * scale. It becomes a relative error of each weight, which counts twice
// (in the weight and in the sum) in an output of at most 1. Then exp (2 half ulps, twice), two sums
// over the keys, and some 20 roundings for rescaling, merging and dividing.
inline Tolerance attention_tolerance(const AttentionSizes& s) {
  int64_t keys = 0;
  for (const SegmentSizes& segment : s.segments) {
    keys = std::max<int64_t>(keys, segment.first_position + segment.rows);
  }
  const auto head_dim = static_cast<double>(s.head_dim);
  const double score_error = (head_dim + 2) * kHalfUlp * head_dim * s.scale;
  return {.absolute = 2 * score_error + (2.0 * static_cast<double>(keys) + 24.0) * kHalfUlp,
          .relative = s.out == DType::kBF16 ? kUlpBF16 : 0.0};
}

// Fills the places of a sequence's positions [0, end); places behind stay poison, as unwritten ones
// of a real cache may be anything.
inline void fill_cache(const Attention& op, int64_t segment, int64_t end, Filler& filler) {
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  const int64_t head_dim = op.attributes.head_dim;
  for (int64_t position = 0; position < end; ++position) {
    const int64_t kv_block = op.block_table.row<int32_t>(segment)[position / kKvBlockRows];
    const int64_t place = position % kKvBlockRows;
    for (int64_t head = 0; head < op.attributes.kv_heads; ++head) {
      const int64_t begin = head * head_dim * kKvBlockRows;
      for (int64_t d = 0; d < head_dim; ++d) {
        set_number(op.k_cache, kv_block, begin + d * kKvBlockRows + place,
                   distribution(filler.random()));
        if (op.v_cache) {
          set_number(op.v_cache, kv_block, begin + place * head_dim + d,
                     distribution(filler.random()));
        }
      }
    }
  }
}

// The tables that make row t a segment of its own, kept alive by the problem.
struct OneRowTables {
  int32_t cu_rows[2] = {0, 1};
};

inline Attention attention_row(const Attention& op, int64_t t, int64_t segment,
                               OneRowTables* tables) {
  Attention one = op;
  one.q = row_view(op.q, t);
  one.positions = row_view(op.positions, t);
  one.cu_rows = dense_view(tables->cu_rows, DType::kI32, 2, 1);
  one.block_table = row_view(op.block_table, segment);
  one.out = row_view(op.out, t);
  return one;
}

inline OpCase<Attention> attention_case(const AttentionSizes& s) {
  const PagedSequences paged = paged_sequences(s.segments);
  std::string segments;
  for (const SegmentSizes& segment : s.segments) {
    segments +=
        fmt::format("{}{}+{}", segments.empty() ? "" : ",", segment.first_position, segment.rows);
  }
  return {
      fmt::format("segments={} heads={}/{} head_dim={}{} scale={} cache={} out={} padding={}",
                  segments, s.heads, s.kv_heads, s.head_dim,
                  s.latent_value_dim > 0 ? fmt::format(" values={}", s.latent_value_dim) : "",
                  s.scale, dtype_name(s.cache), dtype_name(s.out), s.padding_bytes),
      [s, paged] {
        auto memory = std::make_unique<Memory>();
        Filler filler(8);
        const int64_t value_dim = s.latent_value_dim > 0 ? s.latent_value_dim : s.head_dim;
        const int64_t cache_columns = s.kv_heads * s.head_dim * kKvBlockRows;
        Attention op;
        op.q = memory->add({DType::kF32, paged.rows(), s.heads * s.head_dim, s.padding_bytes});
        op.positions = add_column(*memory, paged.positions);
        op.cu_rows = add_column(*memory, paged.cu_rows);
        op.block_table = add_block_tables(*memory, paged);
        op.k_cache = memory->add({s.cache, paged.kv_blocks, cache_columns, 64});
        if (s.latent_value_dim == 0) {
          op.v_cache = memory->add({s.cache, paged.kv_blocks, cache_columns, 64});
        }
        op.out = memory->add({s.out, paged.rows(), s.heads * value_dim, s.padding_bytes});
        op.attributes = {.heads = s.heads,
                         .kv_heads = s.kv_heads,
                         .head_dim = s.head_dim,
                         .value_dim = value_dim,
                         .scale = s.scale};
        filler.uniform(op.q, -1.0, 1.0);
        for (size_t i = 0; i < s.segments.size(); ++i) {
          fill_cache(op, static_cast<int64_t>(i), s.segments[i].first_position + s.segments[i].rows,
                     filler);
        }
        auto tables = std::make_shared<OneRowTables>();
        return Problem<Attention>{
            .memory = std::move(memory),
            .op = op,
            .tolerance = attention_tolerance(s),
            .rows = paged.rows(),
            .row_alone = [op, row_segment = paged.row_segment, tables = tables.get()](
                             int64_t t) { return attention_row(op, t, row_segment[t], tables); },
            .owned = tables};
      }};
}

// Many heads over one latent row: every border, every number of queries in a task, all widths.
inline void add_latent_cases(std::vector<OpCase<Attention>>& cases) {
  for (DType cache : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (DType out : {DType::kF32, DType::kBF16}) {
      cases.push_back(attention_case({.segments = {{0, 1},
                                                   {0, 17},
                                                   {15, 2},
                                                   {62, 4},
                                                   {126, 3},
                                                   {254, 4},
                                                   {255, 1},
                                                   {256, 1},
                                                   {500, 30}},
                                      .heads = 4,
                                      .kv_heads = 1,
                                      .head_dim = 48,
                                      .latent_value_dim = 32,
                                      .scale = 0.17f,
                                      .cache = cache,
                                      .out = out,
                                      .padding_bytes = 64}));
    }
  }
  for (int64_t heads : {1, 2, 3, 5, 8, 15, 16, 17, 24}) {
    cases.push_back(attention_case({.segments = {{60, 9}, {3, 0}, {300, 2}, {63, 1}},
                                    .heads = heads,
                                    .kv_heads = 1,
                                    .head_dim = 32,
                                    .latent_value_dim = 16,
                                    .scale = 1.0f}));
  }
  for (const auto& [key, value] :
       {std::pair{16, 16}, {80, 64}, {128, 80}, {576, 512}, {640, 640}}) {
    cases.push_back(attention_case({.segments = {{0, 3}, {190, 6}},
                                    .heads = 6,
                                    .kv_heads = 2,
                                    .head_dim = key,
                                    .latent_value_dim = value,
                                    .scale = 0.5f,
                                    .cache = DType::kBF16}));
  }
}

inline std::vector<OpCase<Attention>> attention_cases() {
  std::vector<OpCase<Attention>> cases;
  add_latent_cases(cases);
  // Every border: the first key, inside and at the ends of tiles of 64 and of partials of 256.
  const std::vector<SegmentSizes> borders = {{0, 1},   {0, 17},  {15, 2},  {62, 4},
                                             {126, 3}, {254, 4}, {255, 1}, {256, 1}};
  for (DType cache : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (DType out : {DType::kF32, DType::kBF16}) {
      cases.push_back(attention_case({.segments = borders,
                                      .heads = 6,
                                      .kv_heads = 2,
                                      .head_dim = 32,
                                      .scale = 0.17f,
                                      .cache = cache,
                                      .out = out,
                                      .padding_bytes = 64}));
    }
  }
  // All sizes of a head and of a group of heads that share a kv head, flat and peaked.
  for (int64_t group : {1, 2, 3, 4, 5, 7, 8, 12}) {
    cases.push_back(attention_case({.segments = {{60, 9}, {3, 0}, {300, 2}},
                                    .heads = group * 2,
                                    .kv_heads = 2,
                                    .head_dim = 16,
                                    .scale = 1.0f}));
  }
  for (int64_t head_dim : {16, 48, 64, 80, 112, 128, 256}) {
    cases.push_back(attention_case({.segments = {{0, 3}, {190, 6}},
                                    .heads = 3,
                                    .kv_heads = 1,
                                    .head_dim = head_dim,
                                    .scale = 0.5f,
                                    .cache = DType::kBF16}));
  }
  cases.push_back(attention_case({.segments = {{500, 30}},
                                  .heads = 2,
                                  .kv_heads = 1,
                                  .head_dim = 64,
                                  .scale = 2.0f,
                                  .cache = DType::kF16}));
  cases.push_back(
      attention_case({.segments = {}, .heads = 2, .kv_heads = 1, .head_dim = 16, .scale = 1.0f}));
  return cases;
}

inline std::vector<OpCase<Attention>> attention_bench_cases() {
  std::vector<OpCase<Attention>> cases;
  for (const SegmentSizes& segment : {SegmentSizes{4095, 1}, SegmentSizes{0, 128}}) {
    cases.push_back(attention_case({.segments = {segment},
                                    .heads = 32,
                                    .kv_heads = 1,
                                    .head_dim = 576,
                                    .latent_value_dim = 512,
                                    .scale = 0.0722f,
                                    .cache = DType::kBF16}));
  }
  for (DType cache : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const SegmentSizes& segment : {SegmentSizes{1023, 1}, SegmentSizes{4095, 1},
                                        SegmentSizes{0, 512}, SegmentSizes{3840, 256}}) {
      cases.push_back(attention_case({.segments = {segment},
                                      .heads = 16,
                                      .kv_heads = 8,
                                      .head_dim = 128,
                                      .scale = 0.0884f,
                                      .cache = cache}));
    }
    cases.push_back(attention_case({.segments = {{4095, 1}},
                                    .heads = 64,
                                    .kv_heads = 8,
                                    .head_dim = 128,
                                    .scale = 0.0884f,
                                    .cache = cache}));
    cases.push_back(attention_case({.segments = {{1023, 1}},
                                    .heads = 9,
                                    .kv_heads = 3,
                                    .head_dim = 64,
                                    .scale = 0.125f,
                                    .cache = cache}));
    cases.push_back(attention_case({.segments = {{0, 512}},
                                    .heads = 9,
                                    .kv_heads = 3,
                                    .head_dim = 64,
                                    .scale = 0.125f,
                                    .cache = cache}));
  }
  return cases;
}

}  // namespace invar::conformance

// Cases of embed. A weight's value is exact but for one rounding: the result is exact.
#pragma once

#include "backend/ops/embed.h"
#include "conformance/op_case.h"
#include "kernels/weight_rows.h"

namespace invar::conformance {

struct EmbedSizes {
  WeightFormat format = WeightFormat::kF32;
  int64_t rows = 1;
  int64_t vocabulary = 16;
  int64_t columns = 32;
  int64_t padding_bytes = 0;
};

inline OpCase<Embed> embed_case(const EmbedSizes& s) {
  const WeightFormatInfo& info = weight_format_info(s.format);
  return {fmt::format("{} rows={} vocabulary={} columns={} padding={}", info.name, s.rows,
                      s.vocabulary, s.columns, s.padding_bytes),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(11);
            auto packed = std::make_shared<PackedWeights>(
                plain_weight_rows(s.format, s.vocabulary, s.columns, 4));
            Embed op;
            op.attributes.weight = &packed->matrix();
            op.token_ids = memory->add({DType::kI32, s.rows, 1, s.padding_bytes});
            op.out = memory->add({DType::kF32, s.rows, s.columns, s.padding_bytes});
            std::uniform_int_distribution<int64_t> token(0, s.vocabulary - 1);
            for (int64_t t = 0; t < s.rows; ++t) {  // the last token of all comes first
              set_number(op.token_ids, t, 0,
                         static_cast<double>(t == 0 ? s.vocabulary - 1 : token(filler.random())));
            }
            return Problem<Embed>{.memory = std::move(memory),
                                  .op = op,
                                  .tolerance = {},
                                  .rows = s.rows,
                                  .row_alone =
                                      [op](int64_t t) {
                                        return Embed{.token_ids = row_view(op.token_ids, t),
                                                     .out = row_view(op.out, t),
                                                     .attributes = op.attributes};
                                      },
                                  .owned = packed};
          }};
}

inline std::vector<OpCase<Embed>> embed_cases() {
  std::vector<OpCase<Embed>> cases;
  for (const WeightFormatInfo& info : weight_formats()) {
    const int64_t columns = info.group_columns == 1 ? 19 : info.group_columns;
    cases.push_back(embed_case({.format = info.format, .rows = 0, .columns = columns}));
    cases.push_back(embed_case({.format = info.format, .vocabulary = 1, .columns = columns}));
    cases.push_back(
        embed_case({.format = info.format, .rows = 7, .vocabulary = 33, .columns = 3 * columns}));
    cases.push_back(embed_case({.format = info.format,
                                .rows = 40,
                                .vocabulary = 17,
                                .columns = 2 * columns,
                                .padding_bytes = 8}));
  }
  return cases;
}

inline std::vector<OpCase<Embed>> embed_bench_cases() {
  std::vector<OpCase<Embed>> cases;
  for (int64_t rows : {1, 512}) {
    for (const WeightFormatInfo& info : weight_formats()) {
      cases.push_back(
          embed_case({.format = info.format, .rows = rows, .vocabulary = 4096, .columns = 2048}));
    }
  }
  return cases;
}

}  // namespace invar::conformance

// Cases of gather_rows, which copies bytes of any dtype.
#pragma once

#include "backend/ops/gather_rows.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct GatherRowsSizes {
  DType dtype = DType::kF32;
  int64_t rows;
  int64_t width;
  std::vector<int32_t> wanted;
};

inline OpCase<GatherRows> gather_rows_case(const GatherRowsSizes& s) {
  return {fmt::format("{} rows={} width={} wanted={}", dtype_name(s.dtype), s.rows, s.width,
                      s.wanted.size()),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(1);
            const auto wanted = static_cast<int64_t>(s.wanted.size());
            GatherRows op;
            op.x = memory->add({s.dtype, s.rows, s.width, 8});
            op.row_index = memory->add({DType::kI32, wanted, 1});
            op.out = memory->add({s.dtype, wanted, s.width});
            for (int64_t t = 0; t < s.rows; ++t) {
              for (int64_t i = 0; i < row_bytes(s.dtype, s.width); ++i) {
                op.x.row<uint8_t>(t)[i] = static_cast<uint8_t>(filler.random()());
              }
            }
            set_column(op.row_index, s.wanted);
            return Problem<GatherRows>{.memory = std::move(memory),
                                       .op = op,
                                       .tolerance = {},
                                       .rows = wanted,
                                       .row_alone = [op](int64_t i) {
                                         return GatherRows{.x = op.x,
                                                           .row_index = row_view(op.row_index, i),
                                                           .out = row_view(op.out, i),
                                                           .attributes = {}};
                                       }};
          }};
}

inline std::vector<OpCase<GatherRows>> gather_rows_cases() {
  std::vector<OpCase<GatherRows>> cases;
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kF16, DType::kI32, DType::kQ8Row}) {
    cases.push_back(
        gather_rows_case({.dtype = dtype, .rows = 5, .width = 96, .wanted = {4, 0, 0, 3}}));
  }
  cases.push_back(gather_rows_case({.rows = 1, .width = 1, .wanted = {0}}));
  cases.push_back(gather_rows_case({.rows = 4, .width = 17, .wanted = {}}));
  return cases;
}

inline std::vector<OpCase<GatherRows>> gather_rows_bench_cases() {
  std::vector<int32_t> all(512);
  for (int32_t i = 0; i < 512; ++i) {
    all[i] = 511 - i;
  }
  return {gather_rows_case({.rows = 512, .width = 2048, .wanted = all})};
}

}  // namespace invar::conformance

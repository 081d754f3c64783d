// Cases of add. One addition is correctly rounded, so the result is exact.
#pragma once

#include "backend/ops/add.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct AddSizes {
  int64_t rows;
  int64_t width;
  int64_t padding_bytes = 0;
  bool in_place = false;
};

inline OpCase<Add> add_case(const AddSizes& s) {
  return {fmt::format("rows={} width={} padding={}{}", s.rows, s.width, s.padding_bytes,
                      s.in_place ? " in place" : ""),
          [s] {
            auto memory = std::make_unique<Memory>();
            Filler filler(1);
            Add op;
            op.a = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.b = memory->add({DType::kF32, s.rows, s.width, s.padding_bytes});
            op.out = s.in_place ? op.b : memory->add({DType::kF32, s.rows, s.width});
            filler.uniform(op.a, -2.0, 2.0);
            filler.uniform(op.b, -2.0, 2.0);
            return Problem<Add>{.memory = std::move(memory),
                                .op = op,
                                .tolerance = {},
                                .rows = s.rows,
                                .row_alone = [op](int64_t t) {
                                  return Add{.a = row_view(op.a, t),
                                             .b = row_view(op.b, t),
                                             .out = row_view(op.out, t),
                                             .attributes = {}};
                                }};
          }};
}

inline std::vector<OpCase<Add>> add_cases() {
  std::vector<OpCase<Add>> cases;
  for (int64_t width : {1, 15, 16, 17, 31, 32, 33, 64, 1023, 1025, 2049}) {
    cases.push_back(add_case({.rows = 3, .width = width}));
    cases.push_back(add_case({.rows = 2, .width = width, .padding_bytes = 12, .in_place = true}));
  }
  cases.push_back(add_case({.rows = 0, .width = 16}));
  return cases;
}

inline std::vector<OpCase<Add>> add_bench_cases() {
  return {add_case({.rows = 1, .width = 2048}), add_case({.rows = 512, .width = 2048})};
}

}  // namespace invar::conformance

// A conformance case: a problem of one op, with its tolerance. The same cases drive the tests
// (tests/conformance/conformance_test.cc) and the op bench (bench/ops).
//
// To add an op: write cases/<op>.h with `<op>_cases()` (edge sizes, for tests) and
// `<op>_bench_cases()` (sizes of real models), and one line in each of the two mains.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/memory.h"

namespace invar::conformance {

// Of each output element against the reference: |x - ref| <= absolute + relative * |ref|. Both zero
// means equal bytes. Every case computes them from its dtype and reduction length, and says how.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

inline constexpr double kHalfUlp = 0x1p-24;  // relative error of one rounding to f32
inline constexpr double kUlpBF16 = 0x1p-7;   // two roundings of near values to bf16 may differ so

template <class Op>
struct Problem {
  std::unique_ptr<Memory> memory;  // all operands of `op`, inputs filled
  Op op;
  Tolerance tolerance;
  int64_t rows = 0;
  // `op` restricted to row t, over the same memory. Running it for every t, in any order, must give
  // the bytes of running `op`.
  std::function<Op(int64_t t)> row_alone;
  // Whatever else `op` or row_alone point into.
  std::shared_ptr<void> owned = nullptr;
};

template <class Op>
struct OpCase {
  std::string name;  // sizes and dtypes, as in "rows=3 dim=17 out=bf16 strided"
  std::function<Problem<Op>()> make;
};

}  // namespace invar::conformance

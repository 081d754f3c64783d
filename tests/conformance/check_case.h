// What conformance means, for any op: every instruction set of the CPU backend is within tolerance
// of ref; all have equal bytes, with one lane and with three, and row by row; nothing outside the
// outputs' elements is written.
#pragma once

#include <gtest/gtest.h>

#include "backend/registry.h"
#include "conformance/compare.h"

namespace invar::conformance {

// Runs all lanes one after another: a lane never waits for another within an op.
template <class Op>
Image run_lanes(const Problem<Op>& problem, const Backend& backend, const Image& start, int lanes) {
  problem.memory->restore(start);
  for (int lane = lanes - 1; lane >= 0; --lane) {
    backend.run({.lane = lane, .lanes = lanes}, problem.op);
  }
  EXPECT_EQ(problem.memory->broken_guard(), "");
  return problem.memory->image();
}

template <class Op>
Image run_rows(const Problem<Op>& problem, const Backend& backend, const Image& start) {
  problem.memory->restore(start);
  for (int64_t t = problem.rows - 1; t >= 0; --t) {
    backend.run({}, problem.row_alone(t));
  }
  EXPECT_EQ(problem.memory->broken_guard(), "");
  return problem.memory->image();
}

template <class Op>
void check_case(const OpCase<Op>& op_case) {
  SCOPED_TRACE(op_case.name);
  Problem<Op> problem = op_case.make();
  const Memory& memory = *problem.memory;
  const Image start = memory.image();
  const Image reference = run_lanes(problem, *make_ref_backend(), start, 3);

  Image first;
  for (std::string_view isa : supported_isas()) {
    SCOPED_TRACE(isa);
    const std::unique_ptr<Backend> backend = make_cpu_backend(isa);
    const Image image = run_lanes(problem, *backend, start, 1);
    ASSERT_EQ(disagreement(problem, problem.op, reference), "") << "against ref";
    if (first.empty()) {
      first = image;
    }
    ASSERT_EQ(memory.difference(first, image), "") << "against " << supported_isas().front();
    ASSERT_EQ(memory.difference(image, run_lanes(problem, *backend, start, 3)), "")
        << "1 lane against 3 lanes";
    ASSERT_EQ(memory.difference(image, run_rows(problem, *backend, start)), "")
        << "rows together against rows alone";
  }
}

template <class Op>
void check_cases(const std::vector<OpCase<Op>>& cases) {
  ASSERT_FALSE(cases.empty());
  for (const OpCase<Op>& op_case : cases) {
    check_case(op_case);
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace invar::conformance

// What conformance means, for any op: every instruction set of the CPU backend is within tolerance
// of ref; all have equal bytes, with one lane and with three, and row by row; nothing outside the
// outputs' elements is written.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/registry.h"
#include "conformance/op_case.h"

namespace invar::conformance {

template <class Op>
void for_each_output(const Op& op, const std::function<void(const char*, const TensorView&)>& f) {
  Op::fields(
      [&](const char* name, Use use, const TensorView& view) {
        if (use == Use::kWrite || use == Use::kReadWrite) {
          f(name, view);
        }
      },
      op);
}

inline bool within(const Tolerance& tolerance, double found, double expected) {
  if (std::isnan(expected) || std::isnan(found)) {
    return std::isnan(expected) && std::isnan(found);
  }
  return found == expected || std::fabs(found - expected) <=
                                  tolerance.absolute + tolerance.relative * std::fabs(expected);
}

// Empty if the problem's outputs now are within tolerance of those in `reference`, an image of the
// same memory; else the first element that is not.
template <class Op>
std::string outside_tolerance(const Problem<Op>& problem, const Image& reference) {
  const Image found_image = problem.memory->image();
  std::vector<std::vector<double>> found;
  for_each_output(problem.op,
                  [&](const char*, const TensorView& view) { found.push_back(numbers(view)); });
  problem.memory->restore(reference);
  std::string text;
  size_t index = 0;
  for_each_output(problem.op, [&](const char* name, const TensorView& view) {
    const std::vector<double> expected = numbers(view);
    for (size_t i = 0; i < expected.size() && text.empty(); ++i) {
      if (!within(problem.tolerance, found[index][i], expected[i])) {
        text = fmt::format("{}[{}, {}]: expected {} +- {} +- {} relative, found {}", name,
                           i / view.columns, i % view.columns, expected[i],
                           problem.tolerance.absolute, problem.tolerance.relative, found[index][i]);
      }
    }
    ++index;
  });
  problem.memory->restore(found_image);
  return text;
}

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
  const bool exact = problem.tolerance.absolute == 0.0 && problem.tolerance.relative == 0.0;

  Image first;
  for (std::string_view isa : supported_isas()) {
    SCOPED_TRACE(isa);
    const std::unique_ptr<Backend> backend = make_cpu_backend(isa);
    const Image image = run_lanes(problem, *backend, start, 1);
    if (exact) {
      ASSERT_EQ(memory.difference(reference, image), "") << "against ref";
    } else {
      ASSERT_EQ(outside_tolerance(problem, reference), "");
    }
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

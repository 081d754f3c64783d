// Compares the outputs of a problem with those of the reference, for tests and bench.
#pragma once

#include <cmath>

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

// Compares what the outputs of `op` hold now with what they hold in `reference`, an image of the
// same memory. `op` is problem.op or one of its rows. Empty if all elements are within tolerance;
// else the first that is not.
template <class Op>
std::string disagreement(const Problem<Op>& problem, const Op& op, const Image& reference) {
  Memory& memory = *problem.memory;
  const Image found_image = memory.image();
  if (problem.tolerance.absolute == 0.0 && problem.tolerance.relative == 0.0) {
    return memory.difference(reference, found_image);
  }
  std::vector<std::vector<double>> found;
  for_each_output(op, [&](const char*, const TensorView& view) { found.push_back(numbers(view)); });
  memory.restore(reference);
  std::string text;
  size_t index = 0;
  for_each_output(op, [&](const char* name, const TensorView& view) {
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
  memory.restore(found_image);
  return text;
}

}  // namespace invar::conformance

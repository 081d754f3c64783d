// Lists of tensor names for messages, complete however long: names that differ only in numbers
// between dots are written as one.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace invar {

// "layers.0.w", "layers.1.w", "layers.2.w", "layers.7.w", "norm" become "layers.{0..2,7}.w" and
// "norm": the same names and no others. Numbers at several places are ranges at each of them where
// all combinations are there, else several entries. In the order of first appearance; a name that
// comes again is not repeated. What is not printable ASCII is escaped.
std::vector<std::string> collapse_names(std::span<const std::string> names);

// As 'A', 'B', 'C'.
std::string quoted_names(std::span<const std::string> names);

}  // namespace invar

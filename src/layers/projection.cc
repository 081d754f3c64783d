// See projection.h.
#include "layers/projection.h"

namespace invar {

std::vector<Value> project(Builder& b, Value x, const Projection& projection) {
  std::vector<Value> values;
  for (const ProjectionPart& part : projection.parts) {
    const Value product =
        b.linear(x, {.name = part.name, .matrix = part.matrix, .bias = part.bias});
    const std::vector<Value> windows = b.split(product, part.widths);
    values.insert(values.end(), windows.begin(), windows.end());
  }
  return values;
}

}  // namespace invar

// See projection.h.
#include "weights/projection.h"

namespace invar {

Projection load_projection(WeightStore& store, const std::string& name,
                           std::span<const ProjectionRequest> sources, int64_t columns) {
  Projection projection;
  size_t begin = 0;
  while (begin < sources.size()) {
    size_t end = begin + 1;
    while (end < sources.size() &&
           store.same_type(sources[begin].weight.name, sources[end].weight.name) &&
           sources[begin].bias.empty() == sources[end].bias.empty()) {
      end += 1;
    }
    std::vector<TensorRequest> weights;
    std::vector<TensorRequest> biases;
    ProjectionPart part{.name = name, .matrix = nullptr, .bias = {}, .widths = {}};
    for (const ProjectionRequest& source : sources.subspan(begin, end - begin)) {
      weights.push_back(source.weight);
      if (!source.bias.empty()) {
        biases.push_back(
            {.name = source.bias, .rows = source.weight.rows, .order = source.weight.order});
      }
      if (source.widths.empty()) {
        part.widths.push_back(source.weight.rows + source.weight.zero_rows);
      }
      part.widths.insert(part.widths.end(), source.widths.begin(), source.widths.end());
    }
    if (sources.size() > end - begin) {
      part.name += " " + std::to_string(projection.parts.size());
    }
    part.matrix = store.matrix(weights, columns);
    if (!biases.empty()) {
      part.bias = store.vector(biases);
    }
    projection.parts.push_back(std::move(part));
    begin = end;
  }
  return projection;
}

}  // namespace invar

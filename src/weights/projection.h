// Several matrices that multiply the same rows (q, k, v; gate, up), loaded as few matrices as their
// types allow: one product instead of three where the checkpoint stores one type.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weights/weight_store.h"

namespace invar {

struct ProjectionRequest {
  TensorRequest weight;
  // Name of the bias, [rows]; empty for none. Its rows follow the weight's order.
  std::string bias;
  // Where the rows are those of several values: the rows of each. Empty: one value.
  std::vector<int64_t> widths = {};
};

// One product: the values of some sources side by side.
struct ProjectionPart {
  std::string name;
  const PackedMatrix* matrix = nullptr;
  TensorView bias;  // optional
  std::vector<int64_t> widths;
};

struct Projection {
  std::vector<ProjectionPart> parts;
};

// `name` is what plans and profiles call it.
Projection load_projection(WeightStore& store, const std::string& name,
                           std::span<const ProjectionRequest> sources, int64_t columns);

}  // namespace invar

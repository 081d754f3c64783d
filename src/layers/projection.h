// Emits the products of a weights/projection.h Projection.
#pragma once

#include <vector>

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

// One value per source of the projection, in order: windows of the products' rows.
std::vector<Value> project(Builder& b, Value x, const Projection& projection);

}  // namespace invar

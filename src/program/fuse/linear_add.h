// linear, then add of its result to another value -> linear with an addend. Bit-identical: the
// addend is added to the finished product by the same f32 addition.
#pragma once

#include "program/program.h"

namespace invar {

int fuse_linear_add(Program& program);

}  // namespace invar

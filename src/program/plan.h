// Prints a program as text: `invar plan`.
#pragma once

#include <string>

#include "program/program.h"

namespace invar {

// The op list for a pass of `rows` rows of one segment that starts at position `first_position`:
// per op its layer, name, operands with shapes, bytes read and written, and FLOPs; then totals,
// state bytes per position and the arena's size. Needs no weight data.
std::string describe_program(const Program& program, int64_t rows, int64_t first_position);

// One line an operand: "linear blk.0 qkv: x=%3[8, 576] q8 ...".
std::string describe_node(const Program& program, const Node& node);

}  // namespace invar

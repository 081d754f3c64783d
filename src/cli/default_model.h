// The model that a command uses when none is named.
#pragma once

#include <string>

namespace invar {

// The default model lies in the project's folder: where the command is given, or three folders
// above the program (build/<preset>/bin). Error kBadFile, with what to do, if it is not there.
std::string find_default_model();

}  // namespace invar

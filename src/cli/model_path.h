// Which model a command means.
#pragma once

#include <string>

namespace invar {

// `named`, or the default model if it is empty: that lies in the project's folder, where the
// command is given or three folders above the program (build/<preset>/bin). Error kBadFile, with
// what to do, if there is no model, as far as the names of files tell.
std::string model_path(const std::string& named);

}  // namespace invar

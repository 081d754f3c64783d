// The chat page: the files of webui/, compiled into the program by cmake/web_page.cmake.
#pragma once

#include <vector>

#include "server/static_files.h"

namespace invar {

// "/" is the page itself; the others are what it loads.
const std::vector<StaticFile>& web_page();

}  // namespace invar

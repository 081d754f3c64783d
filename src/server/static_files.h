// Files that are compiled into the program and served as they are: the web page.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_handler.h"
#include "server/http/router.h"

namespace invar {

// Views of memory that lives as long as the program.
struct StaticFile {
  std::string_view path;          // "/" or "/chat.js"
  std::string_view content_type;  // "text/javascript; charset=utf-8"
  std::string_view bytes;
};

// One public GET route a file. A client that has the file already (If-None-Match) is told so.
std::vector<Route> static_routes(const std::vector<StaticFile>& files);

}  // namespace invar

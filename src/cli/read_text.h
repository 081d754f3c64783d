// Whole files and standard input as text, for commands that take FILE.
#pragma once

#include <string>

namespace invar {

// Empty files are fine. Error kIo or kBadFile naming the path.
std::string read_text_file(const std::string& path);

// Until the end of standard input. Error kIo if it is closed or a directory.
std::string read_standard_input();

}  // namespace invar

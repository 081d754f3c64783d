// How a file looks: its purpose in the first line, width, white space, the guard of a header.
#pragma once

#include "tidy/source.h"

namespace invar::tidy {

// Code, build files and scripts begin with a comment of a few words.
Findings check_purpose(const Source& source);

// No line of code is wider than 100 characters. Links and includes cannot be broken and are exempt.
Findings check_width(const Source& source);

// No tabs (but in Makefiles), no space at the end of a line, one newline at the end of the file.
Findings check_white_space(const Source& source);

// A header has `#pragma once`.
Findings check_guard(const Source& source);

}  // namespace invar::tidy

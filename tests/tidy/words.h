// Words, calls and names that the project does not use, each with what to use instead.
#pragma once

#include "tidy/allow_list.h"
#include "tidy/source.h"

namespace invar::tidy {

// Calls and keywords (printing, allocation, environment, catch, throw, conditional compilation
// ...).
Findings check_words(const Source& source, AllowList& allowed);

// References to const scalars and `using namespace`.
Findings check_forms(const Source& source, AllowList& allowed);

// "block" and "slot" standing alone in a name, and telling words that tell nothing ("utils").
Findings check_names(const Source& source, AllowList& allowed);

// Open work without an issue number, and other projects' names: in every text file.
Findings check_text(const Source& source, AllowList& allowed);

}  // namespace invar::tidy

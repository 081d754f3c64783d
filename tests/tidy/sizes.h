// Budgets: how long a file and a function may be, and the list of exceptions that may only shrink.
#pragma once

#include "tidy/source.h"

namespace invar::tidy {

struct Function {
  std::string name;  // "Suite.Name" for GoogleTest's macros
  int first_line;    // where its head begins
  int last_line;     // its closing brace
  int lines() const { return last_line - first_line + 1; }
};

// The functions defined at file, namespace or class level, in order. A lambda counts to the
// function that holds it; a variable made by a lambda counts as a function.
std::vector<Function> find_functions(const Source& source);

struct Budget {
  int file_lines;
  int function_lines;
};
// Kernels (src/kernels/) may be longer than other code.
Budget budget_for(const Source& source);

// An allowed excess: "file PATH LINES" or "function PATH NAME LINES".
struct SizeException {
  std::string path;
  std::string function;  // empty: the file
  int lines = 0;
  int line = 0;  // in the list
};

// Breaches of the list's own form are findings about `list_path`.
std::vector<SizeException> parse_exceptions(const std::string& list_path, std::string_view text,
                                            Findings& findings);

// Files and functions over their budgets. An exception must be needed and exact: where code has
// become shorter, the list is made to follow.
Findings check_sizes(const std::vector<Source>& sources, const std::string& list_path,
                     const std::vector<SizeException>& exceptions);

}  // namespace invar::tidy

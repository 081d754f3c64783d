// The module table (src/MODULES) against what the code includes: edges, levels, cycles, headers
// that nobody includes, and the copy of the edges in src/CMakeLists.txt.
#pragma once

#include "tidy/source.h"

namespace invar::tidy {

struct Module {
  std::string name;
  int level = 0;
  std::vector<std::string> may_include;
  int line = 0;
};

class ModuleTable {
 public:
  // `name level: modules` a line. Breaches of that form, unknown modules and edges that go up are
  // findings.
  static ModuleTable parse(const std::string& path, std::string_view text, Findings& findings);

  const Module* find(std::string_view name) const;
  const std::vector<Module>& modules() const { return modules_; }

 private:
  std::vector<Module> modules_;
};

// Includes of files below src/: each is written from src/ and goes along an edge of the table.
Findings check_includes(const std::vector<Source>& sources, const ModuleTable& table);

// Files of src/ that include each other in a circle.
Findings check_include_cycles(const std::vector<Source>& sources);

// Headers of src/ that no file but their own .cc includes.
Findings check_dead_headers(const std::vector<Source>& sources);

// DEPS of each invar_module(...) in src/CMakeLists.txt must be the table's edges.
Findings check_cmake_edges(const std::string& path, std::string_view text,
                           const ModuleTable& table);

}  // namespace invar::tidy

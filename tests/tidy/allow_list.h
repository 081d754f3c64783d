// The places where a rule does not hold: lines "RULE PATH why it may", PATH a file or a folder that
// ends in "/". An entry that no breach needs is itself a finding, so the list follows the code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidy/source.h"

namespace invar::tidy {

class AllowList {
 public:
  AllowList() = default;
  // Lines without a reason are findings.
  static AllowList parse(const std::string& list_path, std::string_view text, Findings& findings);

  // Whether `rule` may be broken in `path`; remembers that the entry was needed.
  bool allows(std::string_view rule, std::string_view path);
  // Entries that `allows` never used.
  Findings unused() const;

 private:
  struct Entry {
    std::string rule;
    std::string path;
    int line;
    bool used = false;
  };
  std::string list_path_;
  std::vector<Entry> entries_;
};

}  // namespace invar::tidy

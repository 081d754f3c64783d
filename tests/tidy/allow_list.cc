// Reading and asking the list of allowed breaches (allow_list.h).
#include "tidy/allow_list.h"

#include <fmt/format.h>

namespace invar::tidy {

AllowList AllowList::parse(const std::string& list_path, std::string_view text,
                           Findings& findings) {
  AllowList list;
  list.list_path_ = list_path;
  for (const ListLine& entry : parse_list(text)) {
    if (entry.words.size() < 4) {
      findings.push_back({list_path, entry.line, "expected 'RULE PATH reason in some words'"});
      continue;
    }
    list.entries_.push_back({entry.words[0], entry.words[1], entry.line});
  }
  return list;
}

bool AllowList::allows(std::string_view rule, std::string_view path) {
  for (Entry& entry : entries_) {
    const bool matches =
        entry.path.ends_with('/') ? path.starts_with(entry.path) : path == entry.path;
    if (entry.rule == rule && matches) {
      entry.used = true;
      return true;
    }
  }
  return false;
}

Findings AllowList::unused() const {
  Findings findings;
  for (const Entry& entry : entries_) {
    if (!entry.used) {
      findings.push_back({list_path_, entry.line,
                          fmt::format("'{} {}' is not needed: remove it", entry.rule, entry.path)});
    }
  }
  return findings;
}

}  // namespace invar::tidy

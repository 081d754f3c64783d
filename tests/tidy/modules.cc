// The module table and the include graph (modules.h).
#include "tidy/modules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace invar::tidy {
namespace {

// "src/cache/tree.h" -> "cache"; empty for a file that is not below a folder of src/.
std::string module_of(std::string_view path) {
  if (!path.starts_with("src/")) {
    return {};
  }
  path.remove_prefix(4);
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

// Without the extension: what a header and its .cc share.
std::string_view stem(std::string_view path) {
  return path.substr(0, path.rfind('.'));
}

// Depth-first search for a path that returns to a file on the current path.
class CycleSearch {
 public:
  explicit CycleSearch(const std::vector<Source>& sources) {
    for (const Source& source : sources) {
      if (source.is_cpp() && source.is_below("src/")) {
        files_[source.path] = &source;
      }
    }
  }

  Findings run() {
    for (const auto& [path, source] : files_) {
      visit(path, *source);
    }
    return std::move(findings_);
  }

 private:
  void visit(const std::string& path, const Source& source) {
    if (!visited_.insert(path).second) {
      return;
    }
    stack_.push_back(path);
    for (const Include& include : source.includes) {
      const std::string target = "src/" + include.path;
      const auto next = files_.find(target);
      if (!include.quoted || next == files_.end()) {
        continue;
      }
      const auto on_stack = std::find(stack_.begin(), stack_.end(), target);
      if (on_stack != stack_.end()) {
        findings_.push_back({path, include.line,
                             fmt::format("include cycle: {} -> {}",
                                         fmt::join(on_stack, stack_.end(), " -> "), target)});
      } else {
        visit(target, *next->second);
      }
    }
    stack_.pop_back();
  }

  std::map<std::string, const Source*> files_;
  std::set<std::string> visited_;
  std::vector<std::string> stack_;
  Findings findings_;
};

void check_include(const Source& source, const Include& include, const ModuleTable& table,
                   Findings& findings) {
  const auto complain = [&](const std::string& message) {
    findings.push_back({source.path, include.line, message});
  };
  const std::string from = module_of(source.path);
  const std::string to = module_of("src/" + include.path);
  const Module* own = table.find(from);
  if (own == nullptr) {
    complain(fmt::format("module '{}' is not in src/MODULES", from));
    return;
  }
  if (table.find(to) == nullptr) {
    complain(
        fmt::format("\"{}\": write project includes from src/, as \"module/file.h\", and "
                    "others as <...>",
                    include.path));
    return;
  }
  const auto& edges = own->may_include;
  if (to != from && std::find(edges.begin(), edges.end(), to) == edges.end()) {
    complain(fmt::format("'{}' may not include '{}' (\"{}\"): src/MODULES allows: {}", from, to,
                         include.path, fmt::join(edges, " ")));
  }
}

// Words of the text between '(' and ')', comments dropped.
std::vector<std::string> cmake_arguments(std::string_view text, size_t open) {
  const size_t close = std::min(text.find(')', open), text.size());
  std::vector<std::string> words;
  for (std::string_view line : split_lines(text.substr(open + 1, close - open - 1))) {
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> more = split_words(line);
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

}  // namespace

ModuleTable ModuleTable::parse(const std::string& path, std::string_view text, Findings& findings) {
  ModuleTable table;
  for (const ListLine& entry : parse_list(text)) {
    Module module{.name = entry.words[0], .level = -1, .may_include = {}, .line = entry.line};
    const bool has_level = entry.words.size() >= 2 && entry.words[1].ends_with(':');
    if (has_level) {
      const std::string& word = entry.words[1];
      std::from_chars(word.data(), word.data() + word.size() - 1, module.level);
      module.may_include.assign(entry.words.begin() + 2, entry.words.end());
    }
    if (module.level < 0 || table.find(module.name) != nullptr) {
      findings.push_back({path, entry.line, "expected 'name level: modules', each name once"});
      continue;
    }
    table.modules_.push_back(std::move(module));
  }
  for (const Module& module : table.modules_) {
    for (const std::string& name : module.may_include) {
      const Module* target = table.find(name);
      if (target == nullptr) {
        findings.push_back({path, module.line, fmt::format("unknown module '{}'", name)});
      } else if (target->level > module.level || target == &module) {
        findings.push_back(
            {path, module.line, fmt::format("edge {} -> {} does not go down", module.name, name)});
      }
    }
  }
  return table;
}

const Module* ModuleTable::find(std::string_view name) const {
  const auto at = std::find_if(modules_.begin(), modules_.end(),
                               [&](const Module& module) { return module.name == name; });
  return at == modules_.end() ? nullptr : &*at;
}

Findings check_includes(const std::vector<Source>& sources, const ModuleTable& table) {
  Findings findings;
  for (const Source& source : sources) {
    if (!source.is_cpp() || !source.is_below("src/")) {
      continue;
    }
    for (const Include& include : source.includes) {
      if (include.quoted) {
        check_include(source, include, table, findings);
      } else if (table.find(module_of("src/" + include.path)) != nullptr) {
        findings.push_back({source.path, include.line,
                            fmt::format("<{}>: write \"{}\"", include.path, include.path)});
      }
    }
  }
  return findings;
}

Findings check_include_cycles(const std::vector<Source>& sources) {
  return CycleSearch(sources).run();
}

Findings check_dead_headers(const std::vector<Source>& sources) {
  std::set<std::string> included;
  for (const Source& source : sources) {
    for (const Include& include : source.includes) {
      const std::string target = "src/" + include.path;
      if (include.quoted && stem(target) != stem(source.path)) {
        included.insert(target);
      }
    }
  }
  Findings findings;
  for (const Source& source : sources) {
    if (source.is_header() && source.is_below("src/") && !included.contains(source.path)) {
      findings.push_back({source.path, 0, "no file but its own .cc includes this header"});
    }
  }
  return findings;
}

Findings check_cmake_edges(const std::string& path, std::string_view text,
                           const ModuleTable& table) {
  Findings findings;
  std::set<std::string> seen;
  static constexpr std::string_view kCall = "\ninvar_module(";
  for (size_t at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1)) {
    const auto line = static_cast<int>(std::count(
                          text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
                      2;
    const std::vector<std::string> words = cmake_arguments(text, at + kCall.size() - 1);
    const std::string name = words.empty() ? "" : words[0];
    const Module* module = table.find(name);
    if (module == nullptr) {
      findings.push_back({path, line, fmt::format("module '{}' is not in src/MODULES", name)});
      continue;
    }
    seen.insert(name);
    std::set<std::string> depends;
    bool in_depends = false;
    for (const std::string& word : words) {
      const bool keyword = word == "DEPS" || word == "LIBS" || word == "EXCLUDE";
      in_depends = keyword ? word == "DEPS" : in_depends;
      if (in_depends && !keyword) {
        depends.insert(word);
      }
    }
    const std::set<std::string> expected(module->may_include.begin(), module->may_include.end());
    if (depends != expected) {
      findings.push_back({path, line,
                          fmt::format("DEPS of '{}' are [{}], src/MODULES says [{}]", name,
                                      fmt::join(depends, " "), fmt::join(expected, " "))});
    }
  }
  for (const Module& module : table.modules()) {
    if (module.name != "cli" && !seen.contains(module.name)) {
      findings.push_back({path, 0, fmt::format("no invar_module({} ...)", module.name)});
    }
  }
  return findings;
}

}  // namespace invar::tidy

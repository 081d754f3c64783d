// Budgets of files and functions, and their exceptions (sizes.h).
#include "tidy/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace invar::tidy {
namespace {

// Compares one measured size with its budget or its exception.
struct Measured {
  std::string path;
  std::string function;
  int line;
  int lines;
  int budget;
};

class SizeCheck {
 public:
  SizeCheck(std::string list_path, const std::vector<SizeException>& exceptions)
      : list_path_(std::move(list_path)), exceptions_(exceptions), used_(exceptions.size()) {}

  void measure(const Measured& m) {
    const auto at = std::find_if(exceptions_.begin(), exceptions_.end(), [&](const auto& e) {
      return e.path == m.path && e.function == m.function;
    });
    const std::string what =
        m.function.empty() ? "the file" : fmt::format("function '{}'", m.function);
    if (at == exceptions_.end()) {
      if (m.lines > m.budget) {
        findings_.push_back(
            {m.path, m.line,
             fmt::format("{} has {} lines, the budget is {}: split it", what, m.lines, m.budget)});
      }
      return;
    }
    used_[static_cast<size_t>(at - exceptions_.begin())] = true;
    if (m.lines > at->lines) {
      findings_.push_back({m.path, m.line,
                           fmt::format("{} has {} lines, its exception allows {}: it may only "
                                       "shrink",
                                       what, m.lines, at->lines)});
    } else if (m.lines <= m.budget) {
      complain(*at, "is within its budget now: remove this exception");
    } else if (m.lines < at->lines) {
      complain(*at, fmt::format("has {} lines now: lower this exception to that", m.lines));
    }
  }

  Findings finish() {
    for (size_t i = 0; i < exceptions_.size(); ++i) {
      if (!used_[i]) {
        complain(exceptions_[i], "does not exist: remove this exception");
      }
    }
    return std::move(findings_);
  }

 private:
  void complain(const SizeException& exception, const std::string& message) {
    findings_.push_back({list_path_, exception.line,
                         fmt::format("{} {} {}", exception.path, exception.function, message)});
  }

  std::string list_path_;
  const std::vector<SizeException>& exceptions_;
  std::vector<bool> used_;
  Findings findings_;
};

}  // namespace

Budget budget_for(const Source& source) {
  if (source.is_below("src/kernels/")) {
    return {.file_lines = 900, .function_lines = 200};
  }
  return {.file_lines = 500, .function_lines = 70};
}

std::vector<SizeException> parse_exceptions(const std::string& list_path, std::string_view text,
                                            Findings& findings) {
  std::vector<SizeException> exceptions;
  for (const ListLine& entry : parse_list(text)) {
    const std::vector<std::string>& words = entry.words;
    SizeException exception{.path = {}, .function = {}, .lines = 0, .line = entry.line};
    const bool is_file = words[0] == "file" && words.size() == 3;
    const bool is_function = words[0] == "function" && words.size() == 4;
    if (is_file || is_function) {
      exception.path = words[1];
      exception.function = is_function ? words[2] : "";
      const std::string& number = words.back();
      std::from_chars(number.data(), number.data() + number.size(), exception.lines);
    }
    if (exception.lines <= 0) {
      findings.push_back(
          {list_path, entry.line, "expected 'file PATH LINES' or 'function PATH NAME LINES'"});
      continue;
    }
    exceptions.push_back(std::move(exception));
  }
  return exceptions;
}

Findings check_sizes(const std::vector<Source>& sources, const std::string& list_path,
                     const std::vector<SizeException>& exceptions) {
  SizeCheck check(list_path, exceptions);
  for (const Source& source : sources) {
    if (!source.is_cpp()) {
      continue;
    }
    const Budget budget = budget_for(source);
    const auto lines = static_cast<int>(split_lines(source.text).size());
    check.measure({.path = source.path,
                   .function = {},
                   .line = 0,
                   .lines = lines,
                   .budget = budget.file_lines});
    // Overloads share a name: the longest one is measured, so that an exception means one number.
    std::vector<Function> functions = find_functions(source);
    std::stable_sort(functions.begin(), functions.end(),
                     [](const Function& a, const Function& b) { return a.lines() > b.lines(); });
    std::vector<std::string> seen;
    for (const Function& function : functions) {
      if (std::find(seen.begin(), seen.end(), function.name) == seen.end()) {
        seen.push_back(function.name);
        check.measure({.path = source.path,
                       .function = function.name,
                       .line = function.first_line,
                       .lines = function.lines(),
                       .budget = budget.function_lines});
      }
    }
  }
  return check.finish();
}

}  // namespace invar::tidy

// Checks of a file's outer form (layout.h).
#include "tidy/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace invar::tidy {
namespace {

constexpr size_t kWidthMax = 100;

std::string_view file_name(const Source& source) {
  return std::string_view(source.path).substr(source.path.rfind('/') + 1);
}

bool has_extension(const Source& source, std::string_view extension) {
  return source.path.ends_with(extension);
}

// Written in a language whose comments begin with '#'.
bool is_script(const Source& source) {
  const std::string_view name = file_name(source);
  return has_extension(source, ".sh") || has_extension(source, ".py") ||
         has_extension(source, ".cmake") || name == "CMakeLists.txt" || name == "Makefile" ||
         source.path == ".ci/run";
}

bool is_web(const Source& source) {
  return has_extension(source, ".js") || has_extension(source, ".css");
}

// Bytes that continue a UTF-8 character do not count.
size_t width_of(std::string_view line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  }));
}

}  // namespace

Findings check_purpose(const Source& source) {
  const bool script = is_script(source);
  if (!script && !source.is_cpp() && !is_web(source)) {
    return {};
  }
  const std::vector<std::string_view> lines = split_lines(source.text);
  size_t at = 0;
  if (script && !lines.empty() && lines[0].starts_with("#!")) {
    at = 1;
  }
  const std::string_view line = at < lines.size() ? lines[at] : std::string_view();
  static constexpr std::array<std::string_view, 2> kSlashes = {"//", "/*"};
  static constexpr std::array<std::string_view, 2> kHash = {"#", "\"\"\""};
  const auto& openings = script ? kHash : kSlashes;
  const bool comment = std::any_of(openings.begin(), openings.end(), [&](std::string_view opening) {
    return line.starts_with(opening);
  });
  // A .cc whose header says it all may point there.
  const std::string_view name = file_name(source);
  const bool refers = line == fmt::format("// See {}.h.", name.substr(0, name.rfind('.')));
  if ((comment && split_words(line).size() >= 4) || refers) {
    return {};
  }
  return {{source.path, static_cast<int>(at) + 1,
           "begin with a comment of some words: what the file is for, and what not"}};
}

Findings check_width(const Source& source) {
  if (!source.is_cpp() && !is_script(source) && !is_web(source)) {
    return {};
  }
  Findings findings;
  int number = 0;
  for (const std::string_view line : split_lines(source.text)) {
    ++number;
    const bool unbreakable =
        line.find("://") != std::string_view::npos || line.starts_with("#include");
    if (width_of(line) > kWidthMax && !unbreakable) {
      findings.push_back(
          {source.path, number,
           fmt::format("{} characters wide, at most {}", width_of(line), kWidthMax)});
    }
  }
  return findings;
}

Findings check_white_space(const Source& source) {
  Findings findings;
  int number = 0;
  for (const std::string_view line : split_lines(source.text)) {
    ++number;
    if (line.ends_with(' ') || line.ends_with('\r') || line.ends_with('\t')) {
      findings.push_back({source.path, number, "white space at the end of the line"});
    }
    if (line.find('\t') != std::string_view::npos && file_name(source) != "Makefile") {
      findings.push_back({source.path, number, "a tab: write spaces (or \\t in a literal)"});
    }
  }
  if (!source.text.empty() && !source.text.ends_with('\n')) {
    findings.push_back({source.path, number, "no newline at the end of the file"});
  }
  if (source.text.ends_with("\n\n")) {
    findings.push_back({source.path, number, "an empty line at the end of the file"});
  }
  return findings;
}

Findings check_guard(const Source& source) {
  if (!source.is_header() || source.code.find("#pragma once\n") != std::string::npos) {
    return {};
  }
  return {{source.path, 0, "a header has '#pragma once'"}};
}

}  // namespace invar::tidy

// Checks of the tree as a whole (tree.h).
#include "tidy/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

namespace invar::tidy {
namespace {

constexpr int64_t kBlobBytesMax = 256 * 1024;

struct PartnerException {
  std::string path;
  int line;
  bool used = false;
  bool matches(std::string_view file) const {
    return path.ends_with('/') ? file.starts_with(path) : file == path;
  }
};

std::vector<PartnerException> parse_partners(const std::string& list_path, std::string_view list,
                                             const std::set<std::string>& paths,
                                             Findings& findings) {
  std::vector<PartnerException> exceptions;
  for (const ListLine& entry : parse_list(list)) {
    if (entry.words.size() < 4) {
      findings.push_back(
          {list_path, entry.line, "expected 'src/FILE.cc TEST reason in some words'"});
      continue;
    }
    const std::string& test = entry.words[1];
    if (test != "-" && (!test.starts_with("tests/") || !paths.contains(test))) {
      findings.push_back({list_path, entry.line, fmt::format("there is no test '{}'", test)});
    }
    exceptions.push_back({entry.words[0], entry.line});
  }
  return exceptions;
}

// Text between each `open` and the next `close` on the line.
std::vector<std::string> between(std::string_view line, std::string_view open, char close) {
  std::vector<std::string> parts;
  for (size_t at = line.find(open); at != std::string_view::npos;) {
    const size_t begin = at + open.size();
    const size_t end = line.find(close, begin);
    if (end == std::string_view::npos) {
      break;
    }
    parts.emplace_back(line.substr(begin, end - begin));
    at = line.find(open, end + 1);
  }
  return parts;
}

// Whether `text`, set in code, is meant as a path of the tree: no placeholders, no globs, no flags.
bool is_tree_path(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kFolders = {
      "src/", "tests/", "docs/", "tools/", "cmake/", "bench/", "webui/"};
  const bool folder = std::any_of(kFolders.begin(), kFolders.end(),
                                  [&](std::string_view name) { return text.starts_with(name); });
  return folder && text.find_first_of(" *<>{}|$") == std::string_view::npos &&
         std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Findings check_partners(const std::vector<Source>& sources, const std::string& list_path,
                        std::string_view list) {
  Findings findings;
  std::set<std::string> paths;
  for (const Source& source : sources) {
    paths.insert(source.path);
  }
  std::vector<PartnerException> exceptions = parse_partners(list_path, list, paths, findings);
  for (const Source& source : sources) {
    if (!source.is_below("src/") || !source.path.ends_with(".cc")) {
      continue;
    }
    const std::string partner =
        "tests/" + source.path.substr(4, source.path.size() - 7) + "_test.cc";
    if (paths.contains(partner)) {
      continue;  // an exception for this very file is then not needed
    }
    const auto exception =
        std::find_if(exceptions.begin(), exceptions.end(),
                     [&](const PartnerException& e) { return e.matches(source.path); });
    if (exception == exceptions.end()) {
      findings.push_back({source.path, 0,
                          fmt::format("no test partner {} (or a line in {})", partner, list_path)});
    } else {
      exception->used = true;
    }
  }
  for (const PartnerException& exception : exceptions) {
    if (!exception.used) {
      findings.push_back({list_path, exception.line, exception.path + " is not needed: remove it"});
    }
  }
  return findings;
}

Findings check_blobs(const std::vector<Tree::Blob>& blobs) {
  Findings findings;
  for (const Tree::Blob& blob : blobs) {
    if (blob.size_bytes > kBlobBytesMax && !blob.path.starts_with("tests/golden/")) {
      findings.push_back({blob.path, 0,
                          fmt::format("{} bytes, at most {} outside tests/golden/", blob.size_bytes,
                                      kBlobBytesMax)});
    }
  }
  return findings;
}

Findings check_documents(const Tree& tree) {
  Findings findings;
  const std::filesystem::path root(tree.root);
  for (const Source& source : tree.sources) {
    const bool document = source.path.ends_with(".md");
    if (!document || (source.path.find('/') != std::string::npos && !source.is_below("docs/"))) {
      continue;
    }
    const std::filesystem::path folder = (root / source.path).parent_path();
    int number = 0;
    for (const std::string_view line : split_lines(source.text)) {
      ++number;
      for (std::string target : between(line, "](", ')')) {
        target = target.substr(0, target.find('#'));
        const bool elsewhere =
            target.find("://") != std::string::npos || target.starts_with("mailto:");
        if (!target.empty() && !elsewhere &&
            !std::filesystem::exists((folder / target).lexically_normal())) {
          findings.push_back({source.path, number, fmt::format("link to missing '{}'", target)});
        }
      }
      for (const std::string& text : between(line, "`", '`')) {
        if (is_tree_path(text) && !std::filesystem::exists(root / text)) {
          findings.push_back({source.path, number, fmt::format("names missing '{}'", text)});
        }
      }
    }
  }
  return findings;
}

Findings check_presets(const std::string& path, std::string_view text) {
  const nlohmann::json presets = nlohmann::json::parse(text, nullptr, false);
  if (!presets.is_object() || !presets.contains("configurePresets") ||
      !presets.contains("buildPresets")) {
    return {{path, 0, "expected configurePresets and buildPresets"}};
  }
  Findings findings;
  std::set<std::string> built;
  for (const nlohmann::json& preset : presets["buildPresets"]) {
    if (preset.value("name", "") != preset.value("configurePreset", "?")) {
      findings.push_back({path, 0, "a build preset has its configure preset's name"});
    }
    built.insert(preset.value("name", ""));
  }
  for (const nlohmann::json& preset : presets["configurePresets"]) {
    const std::string name = preset.value("name", "");
    const bool hidden = preset.value("hidden", false);
    if (!hidden && !built.contains(name)) {
      findings.push_back({path, 0, fmt::format("preset '{}' has no build preset", name)});
    }
    if (!hidden && preset.value("displayName", "").empty()) {
      findings.push_back({path, 0, fmt::format("preset '{}' has no displayName", name)});
    }
    if (hidden && preset.value("binaryDir", "") != "${sourceDir}/build/${presetName}") {
      findings.push_back({path, 0, fmt::format("preset '{}' builds elsewhere than build/", name)});
    }
  }
  return findings;
}

}  // namespace invar::tidy

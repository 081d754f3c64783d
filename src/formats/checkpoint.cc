// Finding and merging the safetensors files of a model directory (checkpoint.h).
#include "formats/checkpoint.h"

#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "formats/name_runs.h"
#include "formats/printable.h"

namespace invar {
namespace {

constexpr size_t kIndexBytesMax = size_t{256} << 20;
// The document, "weight_map" and its strings; "metadata" may hold a little more.
constexpr size_t kIndexDepthMax = 16;

// tensor name -> file name, as the index says.
using WeightMap = std::map<std::string, std::string>;

// A path that cannot be looked at counts as missing: opening it would say no more.
bool path_exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A shard lies in the directory itself: anything with a separator could point outside.
void check_shard_name(const std::string& label, std::string_view name) {
  const bool plain = !name.empty() && name != "." && name != ".." &&
                     name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
  if (!plain) {
    fail(Code::kBadFile, "{}: weight_map: expected a file name without a directory, found '{}'",
         label, printable(name));
  }
}

WeightMap read_weight_map(const std::string& label, simdjson::dom::object root) {
  simdjson::dom::element element;
  simdjson::dom::object object;
  if (root.at_key("weight_map").get(element) != simdjson::SUCCESS ||
      element.get(object) != simdjson::SUCCESS) {
    fail(Code::kBadFile, "{}: weight_map: expected an object of strings", label);
  }
  WeightMap weight_map;
  for (const auto field : object) {
    std::string_view file_name;
    if (field.value.get(file_name) != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}: weight_map: tensor '{}': expected a file name", label,
           printable(field.key));
    }
    check_shard_name(label, file_name);
    if (!weight_map.emplace(field.key, file_name).second) {
      fail(Code::kBadFile, "{}: weight_map: tensor '{}' stands twice", label, printable(field.key));
    }
  }
  return weight_map;
}

WeightMap read_index(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::string label = path.string();
  if (file.bytes().size() > kIndexBytesMax) {
    fail(Code::kBadFile, "{}: expected at most {} bytes, found {}", label, kIndexBytesMax,
         file.bytes().size());
  }
  const simdjson::padded_string padded(reinterpret_cast<const char*>(file.bytes().data()),
                                       file.bytes().size());
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  simdjson::error_code error = parser.allocate(padded.size(), kIndexDepthMax);
  if (error == simdjson::SUCCESS) {
    error = parser.parse(padded).get(root);
  }
  if (error != simdjson::SUCCESS) {
    fail(Code::kBadFile, "{}: expected a JSON object, found an error: {}", label,
         simdjson::error_message(error));
  }
  return read_weight_map(label, root);
}

// A shard of another version of the model holds other tensors than the index says.
void refuse_unlisted(const std::filesystem::path& index_path,
                     std::span<const SafetensorsFile> files, const WeightMap& weight_map) {
  std::vector<std::string> problems;
  for (const SafetensorsFile& file : files) {
    std::vector<std::string> unlisted;
    for (const TensorEntry& entry : file.tensors()) {
      if (!weight_map.contains(entry.name)) {
        unlisted.push_back(entry.name);
      }
    }
    if (!unlisted.empty()) {
      problems.push_back(fmt::format("{} of {}", quoted_names(unlisted), file.label()));
    }
  }
  if (!problems.empty()) {
    fail(Code::kBadFile, "{}: weight_map: expected all tensors of its files, found nothing for {}",
         index_path.string(), fmt::join(problems, "; "));
  }
}

std::vector<SafetensorsFile> open_indexed(const std::filesystem::path& directory,
                                          const std::filesystem::path& index_path) {
  const WeightMap weight_map = read_index(index_path);
  std::map<std::string, size_t> file_index;
  std::vector<SafetensorsFile> files;
  for (const auto& [tensor, file_name] : weight_map) {
    const auto [position, added] = file_index.emplace(file_name, files.size());
    if (added) {
      const std::filesystem::path path = directory / file_name;
      if (!path_exists(path)) {
        fail(Code::kBadFile, "{}: weight_map: tensor '{}': the file '{}' is missing",
             index_path.string(), printable(tensor), printable(file_name));
      }
      files.push_back(SafetensorsFile::open(path));
    }
    if (files[position->second].find(tensor) == nullptr) {
      fail(Code::kBadFile, "{}: weight_map: tensor '{}' is not in '{}'", index_path.string(),
           printable(tensor), printable(file_name));
    }
  }
  refuse_unlisted(index_path, files, weight_map);
  return files;
}

std::vector<SafetensorsFile> open_all(const std::filesystem::path& directory) {
  std::set<std::filesystem::path> paths;
  std::error_code error;
  std::filesystem::directory_iterator item(directory, error);
  while (!error && item != std::filesystem::directory_iterator()) {
    if (item->path().extension() == ".safetensors") {
      paths.insert(item->path());
    }
    item.increment(error);
  }
  if (error || paths.empty()) {
    fail(Code::kBadFile,
         "{}: expected model.safetensors, model.safetensors.index.json or *.safetensors, found {}",
         directory.string(), error ? error.message() : "none");
  }
  std::vector<SafetensorsFile> files;
  for (const std::filesystem::path& path : paths) {
    files.push_back(SafetensorsFile::open(path));
  }
  return files;
}

}  // namespace

Checkpoint Checkpoint::open(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) {
    fail(Code::kBadFile, "{}: expected a directory", directory.string());
  }
  Checkpoint checkpoint;
  checkpoint.directory_ = directory;
  const std::filesystem::path single = directory / "model.safetensors";
  const std::filesystem::path index = directory / "model.safetensors.index.json";
  if (path_exists(single)) {
    checkpoint.files_.push_back(SafetensorsFile::open(single));
  } else if (path_exists(index)) {
    checkpoint.files_ = open_indexed(directory, index);
  } else {
    checkpoint.files_ = open_all(directory);
  }
  checkpoint.collect_tensors();
  return checkpoint;
}

void Checkpoint::collect_tensors() {
  for (const SafetensorsFile& file : files_) {
    for (const TensorEntry& entry : file.tensors()) {
      tensors_.push_back({&entry, &file});
    }
  }
  std::stable_sort(tensors_.begin(), tensors_.end(),
                   [](const CheckpointTensor& a, const CheckpointTensor& b) {
                     return a.entry->name < b.entry->name;
                   });
  const auto twice = std::adjacent_find(tensors_.begin(), tensors_.end(),
                                        [](const CheckpointTensor& a, const CheckpointTensor& b) {
                                          return a.entry->name == b.entry->name;
                                        });
  if (twice != tensors_.end()) {
    fail(Code::kBadFile, "{}: tensor '{}' stands also in {}", twice[1].file->label(),
         printable(twice->entry->name), twice->file->label());
  }
}

const CheckpointTensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                      [](const CheckpointTensor& tensor, std::string_view wanted) {
                                        return tensor.entry->name < wanted;
                                      });
  if (found == tensors_.end() || found->entry->name != name) {
    return nullptr;
  }
  return &*found;
}

}  // namespace invar

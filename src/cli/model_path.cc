// See model_path.h.
#include "cli/model_path.h"

#include <filesystem>
#include <string_view>

#include "core/error.h"

namespace invar {
namespace {

constexpr std::string_view kDefaultModel = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

std::string default_model() {
  if (std::filesystem::exists(kDefaultModel)) {
    return std::string(kDefaultModel);
  }
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = program.parent_path() / "../../.." / kDefaultModel;
  if (!error && std::filesystem::exists(beside)) {
    return std::filesystem::weakly_canonical(beside).string();
  }
  fail(
      Code::kBadFile,
      "{}: the default model is not there: fetch it with tools/get_model.sh (or make run), or name "
      "a MODEL: a GGUF file or a Hugging Face folder",
      kDefaultModel);
}

}  // namespace

std::string model_path(const std::string& named) {
  namespace fs = std::filesystem;
  if (named.empty()) {
    return default_model();
  }
  std::error_code error;
  const fs::file_status status = fs::status(named, error);
  if (status.type() == fs::file_type::not_found) {
    fail(
        Code::kBadFile,
        "{}: expected a GGUF file or a Hugging Face folder, found nothing of this name (models are "
        "not fetched from a hub)",
        named);
  }
  if (fs::is_directory(status) && !fs::exists(fs::path(named) / "config.json")) {
    fail(Code::kBadFile, "{}: expected a model's folder with its config.json, found none", named);
  }
  if (fs::is_regular_file(status) && fs::path(named).extension() == ".safetensors") {
    fail(Code::kBadFile, "{}: expected a model's folder, found one of its files: name the folder",
         named);
  }
  return named;
}

}  // namespace invar

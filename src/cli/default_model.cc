// See default_model.h.
#include "cli/default_model.h"

#include <filesystem>
#include <string_view>

#include "core/error.h"

namespace invar {
namespace {

constexpr std::string_view kDefaultModel = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

}  // namespace

std::string find_default_model() {
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

}  // namespace invar

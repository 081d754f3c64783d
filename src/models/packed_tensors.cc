// See packed_tensors.h.
#include "models/packed_tensors.h"

#include <algorithm>

#include "core/error.h"
#include "formats/name_runs.h"
#include "formats/printable.h"
#include "text/regex.h"

namespace invar {
namespace {

constexpr std::string_view kExpression = "re:";
constexpr std::string_view kWeight = ".weight";

std::string_view module_of(std::string_view tensor) {
  return tensor.ends_with(kWeight) ? tensor.substr(0, tensor.size() - kWeight.size()) : tensor;
}

// Those of `tensors` whose module an entry of `ignore` names.
std::vector<std::string> named_by(const std::string& entry, std::span<const std::string> tensors,
                                  const std::string& place) {
  std::optional<Regex> expression;
  if (entry.starts_with(kExpression)) {
    expression =
        Regex::compile(entry.substr(kExpression.size()), fmt::format("{}: key 'ignore'", place));
  }
  std::vector<std::string> named;
  for (const std::string& tensor : tensors) {
    const std::string_view module = module_of(tensor);
    const std::vector<TextSpan> matches =
        expression ? expression->find_all(module) : std::vector<TextSpan>{};
    if (module == entry || (!matches.empty() && matches.front().begin == 0)) {
      named.push_back(tensor);
    }
  }
  return named;
}

}  // namespace

void check_packed_tensors(const TensorSource& source,
                          const std::optional<QuantizationConfig>& config,
                          const std::string& label) {
  std::vector<std::string> packed;
  for (const SourceTensor& tensor : source.tensors()) {
    if (!tensor.scales.empty()) {
      packed.emplace_back(tensor.name);
    }
  }
  if (!config && !packed.empty()) {
    fail(Code::kBadFile,
         "{}: key 'quantization_config': expected how {} are packed (..._packed, ..._scale), found "
         "nothing",
         label, quoted_names(packed));
  }
  if (config && packed.empty()) {
    fail(Code::kBadFile, "{}: expected packed tensors (..._packed, ..._scale) in {}, found none",
         config->place, source.label());
  }
  for (const std::string& entry : config ? config->ignored : std::vector<std::string>{}) {
    const std::vector<std::string> named = named_by(entry, packed, config->place);
    if (!named.empty()) {
      fail(Code::kBadFile, "{}: key 'ignore': expected no packed tensors for '{}', found {}",
           config->place, printable(entry), quoted_names(named));
    }
  }
}

}  // namespace invar

// See stated_fact.h.
#include "config/stated_fact.h"

#include <algorithm>

namespace invar {

StatedDifference stated_difference(const nlohmann::json& first, const nlohmann::json& second) {
  return {short_text(first), short_text(second)};
}

StatedDifference stated_difference(const std::vector<bool>& first,
                                   const std::vector<bool>& second) {
  if (first.size() != second.size()) {
    return {fmt::format("{} layers", first.size()), fmt::format("{}", second.size())};
  }
  const auto layer = std::ranges::mismatch(first, second).in1 - first.begin();
  return first[layer]
             ? StatedDifference{fmt::format("attention in layer {}", layer), "none there"}
             : StatedDifference{fmt::format("no attention in layer {}", layer), "it there"};
}

}  // namespace invar

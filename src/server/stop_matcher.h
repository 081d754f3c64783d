// Looks for stop strings in a text that arrives in pieces. Never hands out a byte that may belong
// to one. What it hands out does not depend on how the text was cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace invar {

// One text; copies are snapshots. No stop string may be empty.
class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // The text that has become certain. When a stop string is complete (of several, the one that ends
  // first, and of those the longest), the text before it is the last there will be.
  std::string push(std::string_view text);
  bool stopped() const { return stopped_; }

  // The text ended without a stop string: what was held back.
  std::string flush();

 private:
  std::vector<std::string> stops_;
  std::string held_;  // the beginning of at least one stop string
  bool stopped_ = false;
};

}  // namespace invar

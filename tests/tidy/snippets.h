// Text for the tidy checks' own tests.
#pragma once

#include <string>
#include <string_view>

namespace invar::tidy {

inline std::string repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    result += text;
  }
  return result;
}

}  // namespace invar::tidy

// See stop_matcher.h.
#include "server/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace invar {
namespace {

// The length of the longest end of `text` that begins `stop` and is not all of it.
size_t begun_bytes(std::string_view text, std::string_view stop) {
  for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (text.ends_with(stop.substr(0, length))) {
      return length;
    }
  }
  return 0;
}

}  // namespace

std::string StopMatcher::push(std::string_view text) {
  if (stopped_) {
    return {};
  }
  std::string all = std::move(held_);
  held_.clear();
  all += text;
  size_t stop_end = std::string::npos;
  size_t stop_begin = std::string::npos;
  size_t held = 0;
  for (const std::string& stop : stops_) {
    const size_t begin = all.find(stop);
    if (begin != std::string::npos) {
      const size_t end = begin + stop.size();
      if (end < stop_end || (end == stop_end && begin < stop_begin)) {
        stop_end = end;
        stop_begin = begin;
      }
    }
    held = std::max(held, begun_bytes(all, stop));
  }
  stopped_ = stop_end != std::string::npos;
  if (stopped_) {
    all.resize(stop_begin);
    return all;
  }
  held_ = all.substr(all.size() - held);
  all.resize(all.size() - held);
  return all;
}

std::string StopMatcher::flush() {
  return std::exchange(held_, {});
}

}  // namespace invar

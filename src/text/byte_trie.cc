// Built level by level from sorted keys, so that the children of a node are neighbours.
#include "text/byte_trie.h"

#include <algorithm>

namespace invar {

ByteTrie::ByteTrie(std::vector<Entry> entries) : nodes_(1) {
  root_children_.fill(kNone);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });
  // The entries [first, last) share the bytes on the way to `node`.
  struct Range {
    size_t first;
    size_t last;
    uint32_t node;
  };
  std::vector<Range> level = {{0, entries.size(), kRoot}};
  for (size_t depth = 0; !level.empty(); ++depth) {
    std::vector<Range> next;
    for (Range range : level) {
      while (range.first < range.last && entries[range.first].key.size() == depth) {
        nodes_[range.node].value = entries[range.first].value;
        ++range.first;
      }
      nodes_[range.node].first_child = static_cast<uint32_t>(nodes_.size());
      for (size_t first = range.first; first < range.last;) {
        const char byte = entries[first].key[depth];
        size_t last = first;
        while (last < range.last && entries[last].key[depth] == byte) {
          ++last;
        }
        Node node;
        node.byte = static_cast<uint8_t>(byte);
        next.push_back({first, last, static_cast<uint32_t>(nodes_.size())});
        nodes_.push_back(node);
        ++nodes_[range.node].num_children;
        first = last;
      }
    }
    level.swap(next);
  }
  for (uint32_t i = 0; i < nodes_[kRoot].num_children; ++i) {
    const uint32_t node = nodes_[kRoot].first_child + i;
    root_children_[nodes_[node].byte] = node;
  }
}

uint32_t ByteTrie::child(uint32_t node, uint8_t byte) const {
  if (node == kRoot) {
    return root_children_[byte];
  }
  const Node& parent = nodes_[node];
  const auto first = nodes_.begin() + parent.first_child;
  const auto last = first + parent.num_children;
  const auto found = std::lower_bound(first, last, byte, [](const Node& candidate, uint8_t wanted) {
    return candidate.byte < wanted;
  });
  return found != last && found->byte == byte ? static_cast<uint32_t>(found - nodes_.begin())
                                              : kNone;
}

std::optional<ByteTrie::Match> ByteTrie::find(std::string_view text, size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin) {
    uint32_t node = root_children_[static_cast<uint8_t>(text[begin])];
    std::optional<Match> longest;
    for (size_t at = begin + 1; node != kNone; ++at) {
      if (nodes_[node].value >= 0) {
        longest = Match{begin, at, nodes_[node].value};
      }
      if (at == text.size()) {
        break;
      }
      node = child(node, static_cast<uint8_t>(text[at]));
    }
    if (longest.has_value()) {
      return longest;
    }
  }
  return std::nullopt;
}

}  // namespace invar

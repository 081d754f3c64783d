// A set of byte strings with values, for walking a text byte by byte: common prefixes, leftmost
// longest matches. Built once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace invar {

// Const use is safe from many threads.
class ByteTrie {
 public:
  struct Entry {
    std::string_view key;  // not empty; needed during construction only
    int32_t value;         // not negative
  };
  // The last of entries with one key counts.
  explicit ByteTrie(std::vector<Entry> entries = {});

  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  // The node after `byte`, or kNone.
  uint32_t child(uint32_t node, uint8_t byte) const;
  // The value of the key that ends at `node`, or -1.
  int32_t value(uint32_t node) const { return nodes_[node].value; }

  struct Match {
    size_t begin;
    size_t end;
    int32_t value;
  };
  // The leftmost match at or after `from`, the longest of those that begin there.
  std::optional<Match> find(std::string_view text, size_t from) const;

  bool empty() const { return nodes_.size() == 1; }

 private:
  struct Node {
    uint32_t first_child = 0;  // children stand side by side, by ascending byte
    int32_t value = -1;
    uint16_t num_children = 0;
    uint8_t byte = 0;
  };
  std::vector<Node> nodes_;
  std::array<uint32_t, 256> root_children_;
};

}  // namespace invar

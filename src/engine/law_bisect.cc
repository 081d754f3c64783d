// Recording and comparing digests (law_bisect.h).
#include "engine/law_bisect.h"

#include <fmt/format.h>

#include <algorithm>

namespace invar {
namespace {

std::span<const int64_t> positions_of(const LawReplay::HashedPass& pass, const OpDigests& write) {
  return write.rows == RowSet::kPass ? pass.row_positions : pass.logit_row_positions;
}

}  // namespace

std::string op_text(const Node& node) {
  std::string text = node.name();
  const std::string layer = node.layer < 0 ? "" : fmt::format("layer {}", node.layer);
  if (!layer.empty() && !node.label.starts_with(layer + " ")) {
    text += " " + layer;
  }
  if (node.label != node.name()) {
    text += " " + node.label;
  }
  return text;
}

LawDigests::LawDigests(const Program& program, int64_t positions)
    : program_(program), positions_(positions) {}

std::vector<LawDigests::Key> LawDigests::keys_of(std::span<const OpDigests> digests) {
  std::vector<Key> keys(digests.size());
  std::map<Key, int> writes_after;
  for (size_t i = digests.size(); i-- > 0;) {
    const Value& window = digests[i].window;
    const Key last{window.id, window.first_column, window.columns, 0};
    keys[i] = last;
    std::get<3>(keys[i]) = writes_after[last]++;
  }
  return keys;
}

void LawDigests::record(const LawReplay::HashedPass& pass) {
  const std::vector<Key> keys = keys_of(pass.digests);
  for (size_t i = 0; i < keys.size(); ++i) {
    const OpDigests& write = pass.digests[i];
    Recorded& recorded = recorded_[keys[i]];
    recorded.node = write.node;
    recorded.digests.resize(positions_);
    recorded.known.resize(positions_);
    const std::span<const int64_t> positions = positions_of(pass, write);
    for (size_t row = 0; row < positions.size(); ++row) {
      if (positions[row] >= 0) {
        recorded.digests[positions[row]] = write.row_digests[row];
        recorded.known[positions[row]] = true;
      }
    }
  }
}

void LawDigests::compare(const LawReplay::HashedPass& pass) {
  const std::vector<Key> keys = keys_of(pass.digests);
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto found = recorded_.find(keys[i]);
    if (found == recorded_.end()) {
      continue;
    }
    const Recorded& recorded = found->second;
    const std::span<const int64_t> positions = positions_of(pass, pass.digests[i]);
    for (size_t row = 0; row < positions.size(); ++row) {
      const int64_t position = positions[row];
      if (position < 0 || !recorded.known[position] ||
          recorded.digests[position] == pass.digests[i].row_digests[row]) {
        continue;
      }
      const bool lower = lowest_position_ < 0 || position < lowest_position_ ||
                         (position == lowest_position_ && recorded.node < lowest_node_);
      if (lower) {
        lowest_position_ = position;
        lowest_node_ = recorded.node;
      }
    }
  }
}

std::optional<LawDifference> LawDigests::first_difference() const {
  if (lowest_position_ < 0) {
    return std::nullopt;
  }
  return LawDifference{.position = lowest_position_, .op = op_text(*program_.nodes[lowest_node_])};
}

}  // namespace invar

// Where two runs of a program part: the lowest position at which any op wrote other bytes, and the
// first such op there. Compares digests of hashed passes under (what was written, position), so a
// fused and an unfused list can be compared, and passes that were cut in different ways.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/law_replay.h"

namespace invar {

struct LawDifference {
  int64_t position = -1;
  std::string op;  // its name, layer and label: "linear layer 3 qkv"
};

// "linear layer 3 qkv"
std::string op_text(const Node& node);

// The digests of one run: for each write of a value and each position.
class LawDigests {
 public:
  // The program must outlive the object.
  LawDigests(const Program& program, int64_t positions);

  // Takes the pass's digests as those of the baseline.
  void record(const LawReplay::HashedPass& pass);
  // Compares the pass of another run, maybe of another list over the same values, with what was
  // recorded.
  void compare(const LawReplay::HashedPass& pass);
  // Of all compared passes. An op that writes no value (kv_write) is never named: what reads its
  // state is.
  std::optional<LawDifference> first_difference() const;

 private:
  // A window of a value, and which of the writes to it is meant, counted from the last one: fused
  // lists lack earlier writes.
  using Key = std::tuple<int32_t, int64_t, int64_t, int>;
  struct Recorded {
    int node = 0;
    std::vector<uint64_t> digests;  // by position
    std::vector<bool> known;
  };
  static std::vector<Key> keys_of(std::span<const OpDigests> digests);

  const Program& program_;
  int64_t positions_;
  std::map<Key, Recorded> recorded_;
  int64_t lowest_position_ = -1;
  int lowest_node_ = -1;
};

}  // namespace invar

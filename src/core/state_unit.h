// The units that sequences' state is kept in, whatever the layer: named here once, because programs
// declare buffers of them and the cache hands them out.
#pragma once

#include <array>
#include <cstdint>

namespace invar {

// What a state buffer has one row of.
enum class StateUnit : uint8_t {
  kKvBlock,    // 64 positions of a paged state
  kStatePage,  // a recurrent layer's state at a chunk boundary
  kRowBlock,   // what a recurrent layer keeps of the rows of one chunk of 64 positions
};

inline constexpr std::array kStateUnits = {StateUnit::kKvBlock, StateUnit::kStatePage,
                                           StateUnit::kRowBlock};

// For messages: "kv_block".
constexpr const char* name_of(StateUnit unit) {
  switch (unit) {
    case StateUnit::kKvBlock:
      return "kv_block";
    case StateUnit::kStatePage:
      return "state_page";
    case StateUnit::kRowBlock:
      break;
  }
  return "row_block";
}

// A number for each unit.
class StateCounts {
 public:
  constexpr int64_t operator[](StateUnit unit) const { return counts_[static_cast<int>(unit)]; }
  constexpr int64_t& operator[](StateUnit unit) { return counts_[static_cast<int>(unit)]; }

  // Whether no number is larger than the other's.
  constexpr bool fits(const StateCounts& other) const {
    for (const StateUnit unit : kStateUnits) {
      if ((*this)[unit] > other[unit]) {
        return false;
      }
    }
    return true;
  }
  constexpr StateCounts& operator+=(const StateCounts& other) {
    for (const StateUnit unit : kStateUnits) {
      (*this)[unit] += other[unit];
    }
    return *this;
  }
  constexpr StateCounts& operator-=(const StateCounts& other) {
    for (const StateUnit unit : kStateUnits) {
      (*this)[unit] -= other[unit];
    }
    return *this;
  }
  friend constexpr StateCounts operator+(StateCounts a, const StateCounts& b) { return a += b; }
  friend constexpr StateCounts operator*(int64_t factor, StateCounts counts) {
    for (const StateUnit unit : kStateUnits) {
      counts[unit] *= factor;
    }
    return counts;
  }
  constexpr bool operator==(const StateCounts&) const = default;

  // Named fields, for initialisers: StateCounts::of({.kv_blocks = 3}).
  struct Fields {
    int64_t kv_blocks = 0;
    int64_t state_pages = 0;
    int64_t row_blocks = 0;
  };
  static constexpr StateCounts of(const Fields& fields) {
    StateCounts counts;
    counts.counts_ = {fields.kv_blocks, fields.state_pages, fields.row_blocks};
    return counts;
  }

 private:
  std::array<int64_t, kStateUnits.size()> counts_ = {};
};

}  // namespace invar

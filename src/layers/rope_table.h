// Cosines and sines of rotary angles, computed once at load in double and stored as f32. A long
// context's table takes a while and memory, so it is filled last, by all lanes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/rope_parameters.h"
#include "core/anonymous_memory.h"
#include "core/tensor_view.h"

namespace invar {

// Owns the table; the view is valid while this object lives (moving it keeps the view valid).
class RopeTable {
 public:
  struct Options {
    std::string label = {};  // begins the error: where the numbers come from
    RopeParameters parameters;
    int64_t rotary_columns = 0;  // even: the columns of a head that are rotated
    int64_t context = 0;         // positions 0 .. context - 1
    // Optional, rotary_columns / 2 long: each frequency is divided by its factor (GGUF's
    // rope_freqs.weight).
    std::span<const float> frequency_factors = {};
  };
  // Reserves addresses only. Errors: kBadFile if the numbers give angles that no table can hold,
  // kExhausted.
  explicit RopeTable(const Options& options);

  // Rows [begin, end); different ones may be filled by different threads.
  void fill(int64_t begin, int64_t end);

  // [context, rotary_columns] f32: cosines, then sines; zeros until filled.
  TensorView view() const;
  int64_t bytes() const { return static_cast<int64_t>(values_.size_bytes()); }

 private:
  std::vector<double> frequencies_;
  int64_t context_ = 0;
  int64_t rotary_columns_ = 0;
  AnonymousMemory values_;
};

// Angle per position of each pair: rope_theta^(-2 i / rotary_columns), scaled as `parameters` says.
std::vector<double> rope_frequencies(const RopeTable::Options& options);

}  // namespace invar

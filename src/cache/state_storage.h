// The memory of a program's state: every buffer's units, mapped once at start. Memory of a unit
// that was never written is not resident, so a large pool costs what is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/state_unit.h"
#include "core/tensor_view.h"

namespace invar {

// One buffer of a state kind: what it has in every unit of its kind.
struct StateBufferSpec {
  std::string name;  // for example "layer 3 keys"
  DType dtype = DType::kF32;
  int64_t columns = 0;  // elements of one unit
  StateUnit unit = StateUnit::kKvBlock;
};

// Owns the memory. Not thread-safe, but different units may be written by different threads.
class StateStorage {
 public:
  // Throws kExhausted if the memory cannot be mapped, kBadArgument for a count below 1 of a unit
  // that buffers have rows of.
  StateStorage(std::span<const StateBufferSpec> buffers, const StateCounts& counts);

  const StateCounts& counts() const { return counts_; }
  const StateCounts& unit_bytes() const { return unit_bytes_; }  // of a unit, over all buffers
  // Whether any buffer has rows of this unit.
  bool uses(StateUnit unit) const { return unit_bytes_[unit] > 0; }

  // By state buffer id: [units, columns], rows dense. Zeros until written.
  const std::vector<TensorView>& buffers() const { return buffers_; }

  struct Copy {
    StateUnit unit = StateUnit::kKvBlock;
    int32_t from = -1;
    int32_t to = -1;
  };
  void copy(const Copy& copy);
  // Units that were copied so far. A state_page never is: sequences share it, and none rewrites it.
  const StateCounts& copied() const { return copied_; }

  // For tests: fills memory with bytes that read as NaN in every float type. The first form makes
  // all of it resident.
  void poison();
  void poison(StateUnit unit, int32_t id);

 private:
  struct Unmapper {
    Unmapper() : bytes(0) {}
    explicit Unmapper(size_t mapped_bytes) : bytes(mapped_bytes) {}
    void operator()(std::byte* pointer) const;
    size_t bytes;
  };

  [[noreturn]] void fail_exhausted(const char* why) const;

  StateCounts counts_;
  StateCounts unit_bytes_;
  StateCounts copied_;
  std::vector<TensorView> buffers_;
  std::vector<StateUnit> units_;  // by state buffer id
  std::unique_ptr<std::byte, Unmapper> mapping_;
};

}  // namespace invar

// Pools beside their storage (state_memory.h).
#include "cache/state_memory.h"

#include "core/error.h"

namespace invar {
namespace {

StateCounts pooled(std::span<const StateBufferSpec> buffers, const StateCounts& counts) {
  StateCounts used;
  for (const StateBufferSpec& buffer : buffers) {
    used[buffer.unit] = counts[buffer.unit];
  }
  return used;
}

StateUnitPool make_pool(const StateStorage& storage, StateUnit unit) {
  return {unit, storage.counts()[unit]};
}

}  // namespace

StateMemory::StateMemory(std::span<const StateBufferSpec> buffers, const StateCounts& counts)
    : storage_(buffers, pooled(buffers, counts)),
      pools_{make_pool(storage_, StateUnit::kKvBlock), make_pool(storage_, StateUnit::kStatePage),
             make_pool(storage_, StateUnit::kRowBlock)} {}

StateCounts StateMemory::free_counts() const {
  StateCounts counts;
  for (const StateUnit unit : kStateUnits) {
    counts[unit] = pool(unit).free_count();
  }
  return counts;
}

StateCounts StateMemory::held_counts() const {
  StateCounts counts;
  for (const StateUnit unit : kStateUnits) {
    counts[unit] = pool(unit).held_count();
  }
  return counts;
}

int32_t StateMemory::allocate(StateUnit unit) {
  const std::optional<int32_t> id = pool(unit).allocate();
  INVAR_CHECK(id.has_value(), "no {} is free", name_of(unit));
  if (poison_allocated_) {
    storage_.poison(unit, *id);
  }
  return *id;
}

std::string StateMemory::check_integrity() const {
  for (const StateUnitPool& pool : pools_) {
    if (std::string broken = pool.check_integrity(); !broken.empty()) {
      return broken;
    }
  }
  return {};
}

}  // namespace invar

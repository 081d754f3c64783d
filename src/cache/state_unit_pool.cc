// Reference counts and the stack of free units (state_unit_pool.h).
#include "cache/state_unit_pool.h"

#include <limits>

#include "core/error.h"

namespace invar {

StateUnitPool::StateUnitPool(StateUnit unit, int64_t count) : unit_(unit) {
  INVAR_CHECK(count >= 0 && count <= std::numeric_limits<int32_t>::max(), "{} {}s", count,
              name_of(unit));
  reference_counts_.resize(count, 0);
  free_.reserve(count);
  for (int64_t id = count - 1; id >= 0; --id) {
    free_.push_back(static_cast<int32_t>(id));
  }
}

std::optional<int32_t> StateUnitPool::allocate() {
  if (free_.empty()) {
    return std::nullopt;
  }
  const int32_t id = free_.back();
  free_.pop_back();
  INVAR_CHECK(reference_counts_[id] == 0, "{} {} was free with owners", name_of(unit_), id);
  reference_counts_[id] = 1;
  return id;
}

void StateUnitPool::retain(int32_t id) {
  INVAR_CHECK(references(id) > 0, "{} {} is free", name_of(unit_), id);
  reference_counts_[id] += 1;
}

void StateUnitPool::release(int32_t id) {
  INVAR_CHECK(references(id) > 0, "{} {} is free already", name_of(unit_), id);
  reference_counts_[id] -= 1;
  if (reference_counts_[id] == 0) {
    free_.push_back(id);
  }
}

int32_t StateUnitPool::references(int32_t id) const {
  INVAR_CHECK(id >= 0 && id < count(), "{} {} of {}", name_of(unit_), id, count());
  return reference_counts_[id];
}

std::string StateUnitPool::check_integrity() const {
  std::vector<bool> listed(reference_counts_.size(), false);
  for (const int32_t id : free_) {
    if (id < 0 || id >= count()) {
      return fmt::format("{} {} of {} is listed as free", name_of(unit_), id, count());
    }
    if (listed[id]) {
      return fmt::format("{} {} is listed as free twice", name_of(unit_), id);
    }
    listed[id] = true;
  }
  for (int64_t id = 0; id < count(); ++id) {
    if (listed[id] != (reference_counts_[id] == 0)) {
      return fmt::format("{} {} has {} owners and is {}", name_of(unit_), id, reference_counts_[id],
                         listed[id] ? "listed as free" : "not listed as free");
    }
  }
  return {};
}

}  // namespace invar

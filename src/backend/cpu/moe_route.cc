// moe_route on the CPU: rows are dealt to the lanes. Scores are a kernel's; the choice and what
// follows are the few scalar operations of docs/numerics.md.
#include "backend/ops/moe_route.h"

#include <algorithm>
#include <array>
#include <limits>

#include "backend/cpu/cpu_backend.h"

namespace invar {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// The `limit` best of what was offered, best first; of equal keys the one offered first is better.
class BestList {
 public:
  explicit BestList(int64_t limit) : limit_(limit) {}

  void offer(float key, int64_t index) {
    key = key != key ? kLowest : key;
    if (count_ == limit_ && !(key > entries_[count_ - 1].key)) {
      return;
    }
    count_ += count_ < limit_ ? 1 : 0;
    int64_t place = count_ - 1;
    for (; place > 0 && key > entries_[place - 1].key; --place) {
      entries_[place] = entries_[place - 1];
    }
    entries_[place] = {.key = key, .index = static_cast<int32_t>(index)};
  }
  int64_t count() const { return count_; }
  float key(int64_t place) const { return entries_[place].key; }
  int32_t index(int64_t place) const { return entries_[place].index; }

 private:
  struct Entry {
    float key;
    int32_t index;
  };
  int64_t limit_;
  int64_t count_ = 0;
  std::array<Entry, kMoeTopKMax> entries_;
};

using Keys = std::array<float, kMoeExpertsMax>;

// Whether each group may be chosen from.
void choose_groups(const MoeRoute& op, const Keys& keys, std::array<bool, kMoeExpertsMax>& used) {
  const int64_t groups = op.attributes.groups;
  const int64_t size = op.logits.columns / groups;
  BestList best_groups(op.attributes.groups_used);
  for (int64_t group = 0; group < groups; ++group) {
    BestList members(op.bias ? 2 : 1);
    for (int64_t e = group * size; e < (group + 1) * size; ++e) {
      members.offer(keys[e], e);
    }
    best_groups.offer(members.count() == 2 ? members.key(0) + members.key(1) : members.key(0),
                      group);
    used[group] = false;
  }
  for (int64_t place = 0; place < best_groups.count(); ++place) {
    used[best_groups.index(place)] = true;
  }
}

void route_row(const MoeRoute& op, int64_t t, const Keys& scores) {
  const MoeRouteAttributes& a = op.attributes;
  const int64_t experts = op.logits.columns;
  const float* bias = op.bias.row<float>(0);
  Keys keys;
  for (int64_t e = 0; e < experts; ++e) {
    keys[e] = op.bias ? scores[e] + bias[e] : scores[e];
  }
  std::array<bool, kMoeExpertsMax> used;
  used[0] = true;
  if (a.groups > 1) {
    choose_groups(op, keys, used);
  }
  BestList best(a.top_k);
  for (int64_t e = 0; e < experts; ++e) {
    if (used[e / (experts / a.groups)]) {
      best.offer(keys[e], e);
    }
  }
  float sum = 0;
  for (int64_t j = 0; j < a.top_k; ++j) {
    sum = sum + scores[best.index(j)];
  }
  const float divisor = sum + 1e-20F;
  for (int64_t j = 0; j < a.top_k; ++j) {
    const float score = scores[best.index(j)];
    op.ids.row<int32_t>(t)[j] = best.index(j);
    op.weights.row<float>(t)[j] = (a.renormalize ? score / divisor : score) * a.scale;
  }
}

}  // namespace

void CpuBackend::run(const Stream& stream, const MoeRoute& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  Keys scores;
  const LaneRange range = lane_range(stream, op.ids.rows);
  for (int64_t t = range.begin; t < range.end; ++t) {
    kernels_.moe_scores({.logits = op.logits.row<float>(t),
                         .scores = scores.data(),
                         .experts = op.logits.columns,
                         .sigmoid = op.attributes.sigmoid});
    route_row(op, t, scores);
  }
}

}  // namespace invar

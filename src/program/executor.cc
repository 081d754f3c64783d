// Walking the list: an op is a step of the team, split into one share a lane.
#include "program/executor.h"

#include <chrono>
#include <cstring>

#include "core/digest.h"
#include "core/error.h"

namespace invar {
namespace {

constexpr size_t kReadBehind = 64;  // bytes that a vector load may touch

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of `count` rows together.
uint64_t digest_rows(const TensorView& view, int64_t first, int64_t count) {
  const auto bytes = static_cast<size_t>(row_bytes(view.dtype, view.columns));
  if (count == 1) {
    return digest64(view.row<std::byte>(first), bytes);
  }
  std::vector<uint64_t> digests;
  for (int64_t row = first; row < first + count; ++row) {
    digests.push_back(digest64(view.row<std::byte>(row), bytes));
  }
  return digest64(digests.data(), digests.size() * sizeof(uint64_t));
}

}  // namespace

Executor::Executor(Parts parts) : parts_(std::move(parts)) {
  arena_plan_ = plan_arena(*parts_.program, parts_.tables->limits());
  arena_ = AnonymousMemory(static_cast<size_t>(arena_plan_.bytes) + kReadBehind, "activations");
}

Binding Executor::binding() const {
  return Binding({.program = parts_.program,
                  .arena_plan = &arena_plan_,
                  .arena = arena_.data(),
                  .state_buffers = &parts_.state_buffers,
                  .tables = parts_.tables});
}

void Executor::run_share(int64_t op, int lane, const Binding& bound) const {
  parts_.program->nodes[op]->run({.lane = lane, .lanes = parts_.team->lanes()}, *parts_.backend,
                                 bound);
}

void Executor::run() {
  const Binding bound = binding();
  parts_.team->run({.count = static_cast<int64_t>(parts_.program->nodes.size()),
                    .share = [&](int64_t op, int lane) { run_share(op, lane, bound); },
                    .finished = {}});
}

void Executor::run_profiled(std::vector<OpProfile>& profile) {
  const Binding bound = binding();
  const auto count = static_cast<int>(parts_.program->nodes.size());
  profile.resize(count);
  double begin = seconds_now();
  parts_.team->run({.count = count,
                    .share = [&](int64_t op, int lane) { run_share(op, lane, bound); },
                    .finished =
                        [&](int64_t op) {
                          const double end = seconds_now();
                          profile[op].node = static_cast<int>(op);
                          profile[op].calls += 1;
                          profile[op].seconds += end - begin;
                          begin = end;
                        }});
  for (int i = 0; i < count; ++i) {
    profile[i].cost += parts_.program->nodes[i]->cost(bound);
  }
}

std::vector<OpDigests> Executor::run_hashed() {
  const Binding bound = binding();
  std::vector<OpDigests> digests;
  for (int i = 0; i < static_cast<int>(parts_.program->nodes.size()); ++i) {
    const Node& node = *parts_.program->nodes[i];
    parts_.team->run([&](int lane) { run_share(i, lane, bound); });
    node.visit([&](const char* /*field*/, Use use, const Operand& operand) {
      if (operand.kind != OperandKind::kValue || use == Use::kRead || use == Use::kOptional) {
        return;
      }
      const TensorView view = bound.resolve(operand);
      OpDigests& entry = digests.emplace_back();
      entry.node = i;
      entry.rows = parts_.program->values[operand.index].rows;
      entry.window = {
          .id = operand.index, .first_column = operand.first_column, .columns = operand.columns};
      const int64_t factor = parts_.program->values[operand.index].row_factor;
      for (int64_t row = 0; row < view.rows; row += factor) {
        entry.row_digests.push_back(digest_rows(view, row, factor));
      }
    });
  }
  return digests;
}

TensorView Executor::logits() const {
  const Value output = parts_.program->output;
  return binding().resolve({.kind = OperandKind::kValue,
                            .index = output.id,
                            .first_column = output.first_column,
                            .columns = output.columns});
}

void Executor::poison_arena() {
  std::memset(arena_.data(), 0xff, static_cast<size_t>(arena_plan_.bytes));
}

}  // namespace invar

// Times one op on its conformance cases, on each instruction set, with one lane and with a lane per
// processor. Reports GB/s of the bytes that the op must move and GFLOP/s of what it must compute
// (Cost), and refuses to time a case whose output is wrong.
#pragma once

#include <benchmark/benchmark.h>

#include "backend/registry.h"
#include "conformance/compare.h"
#include "core/thread_team.h"

namespace invar::bench {

// Rows that are compared with ref where comparing all would take minutes.
inline constexpr int64_t kFlopsCheckedInFull = 1'000'000'000;

// Empty if `backend` computes the problem rightly, else the first wrong element.
template <class Op>
std::string wrong_output(const conformance::Problem<Op>& problem, const Backend& backend) {
  conformance::Memory& memory = *problem.memory;
  const std::unique_ptr<Backend> ref = make_ref_backend();
  const conformance::Image start = memory.image();
  std::vector<Op> checked = {problem.op};
  if (cost(problem.op).flops > kFlopsCheckedInFull) {
    checked.clear();
    for (int64_t t : {int64_t{0}, problem.rows / 2, problem.rows - 1}) {
      checked.push_back(problem.row_alone(t));
    }
  }
  backend.run({}, problem.op);
  const conformance::Image found = memory.image();
  std::string text;
  for (const Op& op : checked) {
    memory.restore(start);
    ref->run({}, op);
    const conformance::Image expected = memory.image();
    memory.restore(found);
    text += conformance::disagreement(problem, op, expected);
  }
  memory.restore(start);
  return text;
}

template <class Op>
void time_case(benchmark::State& state, const conformance::OpCase<Op>& op_case,
               std::string_view isa, int lanes) {
  const conformance::Problem<Op> problem = op_case.make();
  const std::unique_ptr<Backend> backend = make_cpu_backend(isa);
  if (const std::string wrong = wrong_output(problem, *backend); !wrong.empty()) {
    state.SkipWithError(wrong.c_str());
    return;
  }
  ThreadTeam team(lanes);
  for (auto _ : state) {
    team.run([&](int lane) { backend->run({.lane = lane, .lanes = lanes}, problem.op); });
  }
  const Cost floor = cost(problem.op);
  const auto runs = static_cast<double>(state.iterations());
  const auto bytes = static_cast<double>(floor.read_bytes + floor.write_bytes);
  constexpr auto kRate = benchmark::Counter::kIsRate;
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9 * runs, kRate);
  state.counters["GFLOP/s"] =
      benchmark::Counter(static_cast<double>(floor.flops) * 1e-9 * runs, kRate);
}

template <class Op>
void register_op(const std::vector<conformance::OpCase<Op>>& cases) {
  for (const conformance::OpCase<Op>& op_case : cases) {
    for (std::string_view isa : supported_isas()) {
      for (int lanes : {1, available_processors()}) {
        const std::string name =
            fmt::format("{}/{}/lanes={}/{}", Op::kName, isa, lanes, op_case.name);
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          time_case(state, op_case, isa, lanes);
        })->UseRealTime();
      }
    }
  }
}

}  // namespace invar::bench

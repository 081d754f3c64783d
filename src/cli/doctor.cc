// invar doctor: what this machine has and what would run on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "backend/registry.h"
#include "cli/command.h"
#include "cli/peak_rate.h"
#include "core/thread_team.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/read_bandwidth.h"

namespace invar {
namespace {

int run(bool measure) {
  fmt::print("processor: {}\n", cpu::processor_name());
  fmt::print("processors usable: {}\n", available_processors());
  fmt::print("instruction sets: {}\n", fmt::join(supported_isas(), ", "));
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  fmt::print("backend that would run: {}\n", backend->name());
  if (measure) {
    for (int lanes : {1, available_processors()}) {
      ThreadTeam team(lanes);
      fmt::print("read bandwidth, {} thread(s): {:.1f} GB/s\n", lanes,
                 cpu::measure_read_bandwidth(team) * 1e-9);
      for (const auto& [name, format] :
           {std::pair("f32", WeightFormat::kF32), std::pair("int8 (Q8_0)", WeightFormat::kQ8_0)}) {
        fmt::print("{} products in cache, {} thread(s): {:.1f} G operations/s\n", name, lanes,
                   measure_peak_rate(*backend, team, format) * 1e-9);
      }
    }
  }
  return 0;
}

}  // namespace

Command make_doctor_command() {
  auto measure = std::make_shared<bool>(false);
  return {.name = "doctor",
          .summary = "Show the machine, its instruction sets and what would run",
          .options = {{.name = "--measure",
                       .help = "measure read bandwidth and peaks of computation",
                       .target = measure.get()}},
          .run = [measure] { return run(*measure); }};
}

}  // namespace invar

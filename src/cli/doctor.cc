// invar doctor: what this machine has and what would run on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/registry.h"
#include "cli/command.h"
#include "core/thread_team.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/read_bandwidth.h"

namespace invar {
namespace {

int run(bool measure) {
  fmt::print("processor: {}\n", cpu::processor_name());
  fmt::print("processors usable: {}\n", available_processors());
  fmt::print("instruction sets: {}\n", fmt::join(supported_isas(), ", "));
  fmt::print("backend that would run: {}\n", make_cpu_backend("")->name());
  if (measure) {
    for (int lanes : {1, available_processors()}) {
      ThreadTeam team(lanes);
      fmt::print("read bandwidth, {} thread(s): {:.1f} GB/s\n", lanes,
                 cpu::measure_read_bandwidth(team) * 1e-9);
    }
  }
  return 0;
}

}  // namespace

Command make_doctor_command() {
  auto measure = std::make_shared<bool>(false);
  return {
      .name = "doctor",
      .summary = "Show the machine, its instruction sets and what would run",
      .options = {{.name = "--measure", .help = "measure read bandwidth", .target = measure.get()}},
      .run = [measure] { return run(*measure); }};
}

}  // namespace invar

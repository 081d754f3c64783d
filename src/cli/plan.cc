// invar plan: the op list of a model, from its metadata alone.
#include "program/plan.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/loaded_model.h"
#include "core/error.h"

namespace invar {
namespace {

struct Flags {
  ModelFlags model;
  int64_t rows = 1;
  int64_t position = 0;
  bool unfused = false;
};

std::unique_ptr<const Model> load_metadata(const Flags& flags, bool fuse) {
  ThreadTeam team(1);
  ModelOptions options = model_options(flags.model);
  options.metadata_only = true;
  options.fuse = fuse;
  return load_model(flags.model.model, options, team, {});
}

int run(const Flags& flags) {
  const auto emitted = load_metadata(flags, false);
  const auto fused = load_metadata(flags, true);
  if (flags.position > fused->context - flags.rows) {
    fail(Code::kBadArgument,
         "--position and --rows: expected at most {} positions together, found {} and {}",
         fused->context, flags.position, flags.rows);
  }
  fmt::print(
      "{}: family {}, {} layers, vocabulary {}, context {}, rows of dense matrices {}, "
      "cache {}\n",
      fused->name, fused->family, fused->config.num_hidden_layers, fused->config.vocab_size,
      fused->context, dtype_name(fused->policy.activation_dtype),
      dtype_name(fused->policy.kv_dtype));
  fmt::print("{} ops as emitted, {} after fusion{}\n", emitted->program.nodes.size(),
             fused->program.nodes.size(), flags.unfused ? "; as emitted:" : ":");
  fmt::print("{:>12} {:>10} {:>14}  op\n", "bytes read", "written", "FLOPs");
  fmt::print("{}", describe_program((flags.unfused ? emitted : fused)->program, flags.rows,
                                    flags.position));
  return 0;
}

}  // namespace

Command make_plan_command() {
  auto flags = std::make_shared<Flags>();
  Command command{.name = "plan",
                  .summary = "Print a model's op list with shapes, bytes and FLOPs",
                  .options = {},
                  .run = [flags] { return run(*flags); }};
  add_model_options(command.options, flags->model, /*positional=*/true);
  command.options.push_back({.name = "--rows",
                             .help = "rows of the pass",
                             .target = &flags->rows,
                             .min = 1,
                             .max = 65536});
  command.options.push_back({.name = "--position",
                             .help = "position of the pass's first row",
                             .target = &flags->position,
                             .min = 0,
                             .max = int64_t{1} << 24});
  command.options.push_back({.name = "--unfused",
                             .help = "print the list as the family emitted it",
                             .target = &flags->unfused});
  return command;
}

}  // namespace invar

// invar verify: a model folder against the reference logits that lie beside it.
#include "engine/verify.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/loaded_model.h"

namespace invar {
namespace {

constexpr int64_t kPassRows = 128;

int run(const ModelFlags& flags) {
  const GoldenReference reference = read_golden(flags.model);
  const LoadedModel loaded = load(flags);
  Runner runner = loaded.make_runner({.context_positions = loaded.model->context,
                                      .rows_max = kPassRows,
                                      .segments_max = 1,
                                      .logit_rows_max = kPassRows});
  const VerifyResult result = verify(runner, reference);
  const DType dtype = loaded.model->policy.activation_dtype;
  fmt::print("{}\n", describe(loaded.model->name, result, dtype));
  return passes(result, dtype) ? 0 : 1;
}

}  // namespace

Command make_verify_command() {
  auto flags = std::make_shared<ModelFlags>();
  Command command{.name = "verify",
                  .summary = "Compare a folder's model with its reference logits",
                  .options = {{.name = "DIR",
                               .help = "a model folder with golden.safetensors and "
                                       "golden_long.safetensors",
                               .target = &flags->model,
                               .required = true}},
                  .run = [flags] { return run(*flags); }};
  add_model_options(command.options, *flags, /*positional=*/false);
  return command;
}

}  // namespace invar

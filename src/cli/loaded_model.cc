// See loaded_model.h.
#include "cli/loaded_model.h"

#include <filesystem>

#include "cli/model_path.h"
#include "cli/progress.h"

namespace invar {
namespace {

constexpr int64_t kThreadsMax = 256;
constexpr int64_t kContextMax = int64_t{1} << 24;

}  // namespace

void add_model_options(std::vector<Option>& options, ModelFlags& flags, bool positional) {
  if (positional) {
    options.push_back({.name = "MODEL",
                       .help = "a GGUF file or a Hugging Face folder",
                       .target = &flags.model,
                       .required = true});
  }
  options.push_back({.name = "--dtype",
                     .help = "compute dtype of unquantized matrices; auto is f32",
                     .target = &flags.dtype,
                     .choices = {"auto", "f32", "bf16"}});
  options.push_back({.name = "--kv-dtype",
                     .help = "dtype of cached keys and values; auto is f16 for GGUF, else --dtype",
                     .target = &flags.kv_dtype,
                     .choices = {"auto", "f32", "f16", "bf16"}});
  options.push_back(
      {.name = "--isa",
       .help = "instruction set: portable, avx2 or avx512 (same bits); auto is the best",
       .target = &flags.isa});
  options.push_back({.name = "--threads",
                     .help = "threads; 0 is one for each processor",
                     .target = &flags.threads,
                     .min = 0,
                     .max = kThreadsMax});
  options.push_back({.name = "--context",
                     .help = "positions of a sequence; 0 is the model's limit, at most 8192",
                     .target = &flags.context,
                     .min = 0,
                     .max = kContextMax});
}

std::unique_ptr<ThreadTeam> make_team(int64_t threads) {
  return std::make_unique<ThreadTeam>(threads > 0 ? static_cast<int>(threads)
                                                  : available_processors());
}

ModelOptions model_options(const ModelFlags& flags) {
  return {.dtype = parse_dtype(flags.dtype),
          .kv_dtype = parse_dtype(flags.kv_dtype),
          .context = flags.context,
          .metadata_only = false,
          .fuse = true};
}

LoadedModel load(const ModelFlags& flags) {
  return load(flags, model_options(flags));
}

LoadedModel load(const ModelFlags& flags, const ModelOptions& options) {
  LoadedModel loaded;
  loaded.backend = make_cpu_backend(flags.isa == "auto" ? "" : flags.isa);
  loaded.team = make_team(flags.threads);
  ProgressBar bar("loading " + std::filesystem::path(flags.model).filename().string());
  loaded.model = load_model(model_path(flags.model), options, *loaded.team,
                            [&](int64_t done, int64_t total) { bar.update(done, total); });
  return loaded;
}

std::vector<int32_t> end_token_ids(const Model& model, const ModelText& text) {
  std::vector<int32_t> ids;
  for (const int64_t id : model.config.eos_token_ids) {
    ids.push_back(static_cast<int32_t>(id));
  }
  const std::vector<int32_t>& ends = text.tokenizer.end_of_generation_ids();
  ids.insert(ids.end(), ends.begin(), ends.end());
  for (const int64_t id : model.config.not_end_token_ids) {
    std::erase(ids, static_cast<int32_t>(id));
  }
  return ids;
}

Runner LoadedModel::make_runner(const RunnerLimits& limits) const {
  return Runner({.program = &model->program, .backend = backend.get(), .team = team.get()}, limits);
}

}  // namespace invar

// The flags that every command with a model takes, and what they make: thread team, backend, model
// and runner, alive together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "cli/command.h"
#include "core/thread_team.h"
#include "engine/runner.h"
#include "models/model.h"
#include "text/model_text.h"

namespace invar {

struct ModelFlags {
  std::string model;
  std::string dtype = "auto";
  std::string kv_dtype = "auto";
  std::string isa = "auto";
  int64_t threads = 0;
  int64_t context = 0;
};

// MODEL (if `positional`), --dtype, --kv-dtype, --isa, --threads, --context.
void add_model_options(std::vector<Option>& options, ModelFlags& flags, bool positional);

struct LoadedModel {
  std::unique_ptr<ThreadTeam> team;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<const Model> model;

  Runner make_runner(const RunnerLimits& limits) const;
};

// 0 threads: every processor that this process may use.
std::unique_ptr<ThreadTeam> make_team(int64_t threads);
ModelOptions model_options(const ModelFlags& flags);
LoadedModel load(const ModelFlags& flags);
// With options that differ from what the flags say.
LoadedModel load(const ModelFlags& flags, const ModelOptions& options);

// The ids that end an answer: those of the configuration and those of the vocabulary.
std::vector<int32_t> end_token_ids(const Model& model, const ModelText& text);

}  // namespace invar

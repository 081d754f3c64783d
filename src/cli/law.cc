// invar law: whether the model's logits after a token are a pure function of the tokens before it,
// bit for bit, however it is run.
#include "engine/law.h"

#include <fmt/format.h>

#include <optional>

#include "cli/command.h"
#include "cli/loaded_model.h"
#include "cli/progress.h"
#include "cli/read_text.h"
#include "engine/law_fuzz.h"
#include "engine/law_schedule_text.h"
#include "program/fuse/rule.h"

namespace invar {
namespace {

struct Flags {
  ModelFlags model;
  int64_t seed = 1;
  int64_t tokens = 0;
  std::string only;
  bool schedules = false;
  bool details = false;
  int64_t fuzz = 0;
  std::string replay;
};

void print_line(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);  // a case can take minutes
}

// One bar for each case, gone before its line is printed.
class CaseProgress {
 public:
  void update(const std::string& case_name, int64_t done, int64_t total) {
    if (case_name != case_name_) {
      case_name_ = case_name;
      bar_.emplace("law " + case_name);
    }
    bar_->update(done, total);
  }
  void end() {
    case_name_.clear();
    bar_.reset();
  }

 private:
  std::string case_name_;
  std::optional<ProgressBar> bar_;
};

int run_fuzz(const Flags& flags, const LawSubject& subject, const std::string& model_name) {
  std::optional<ProgressBar> bar("law fuzz");
  LawFuzzOptions options{.seed = static_cast<uint64_t>(flags.seed),
                         .schedules = std::max<int64_t>(1, flags.fuzz),
                         .tokens = flags.tokens,
                         .progress = [&](int64_t done) { bar->update(done, flags.fuzz); }};
  if (!flags.replay.empty()) {
    options.schedules = 1;
    options.schedule =
        parse_law_schedule(read_text_file(flags.replay), law_fuzz_shape(subject, options));
  }
  const LawFuzzResult result = fuzz_law(subject, options);
  bar.reset();
  print_line(fmt::format("seed {}", options.seed));
  fmt::print("{}", describe(model_name, result));
  print_line(
      describe(LawSummary{.equal = result.failure ? 0 : 1, .differ = result.failure ? 1 : 0}));
  return result.failure ? 1 : 0;
}

int run(const Flags& flags) {
  ModelOptions model_options_unfused = model_options(flags.model);
  model_options_unfused.fuse = false;
  const LoadedModel loaded = load(flags.model, model_options_unfused);
  const Program& unfused = loaded.model->program;
  Program fused = copy(unfused);
  const int rewrites = fuse(fused);

  LawSubject subject{.program = &fused,
                     .unfused = rewrites > 0 ? &unfused : nullptr,
                     .backend = loaded.backend.get(),
                     .team = loaded.team.get(),
                     .context = loaded.model->context};
  std::vector<std::unique_ptr<Backend>> others;
  for (const std::string_view isa : supported_isas()) {
    std::unique_ptr<Backend> backend = make_cpu_backend(isa);
    if (backend->name() != loaded.backend->name()) {
      subject.other_isas.push_back({.name = isa, .backend = backend.get()});
      others.push_back(std::move(backend));
    }
  }

  if (flags.fuzz > 0 || !flags.replay.empty()) {
    return run_fuzz(flags, subject, loaded.model->name);
  }
  CaseProgress progress;
  const LawOptions options{.seed = static_cast<uint64_t>(flags.seed),
                           .tokens = flags.tokens,
                           .only = flags.only,
                           .progress = [&](const std::string& name, int64_t done,
                                           int64_t total) { progress.update(name, done, total); },
                           .on_result =
                               [&](const LawResult& result) {
                                 progress.end();
                                 print_line(describe(loaded.model->name, result));
                                 if (flags.details) {
                                   print_line("  " + describe_details(result));
                                 }
                               }};
  // Also refuses wrong options, before anything is printed.
  const std::string schedules = describe_law_schedules(subject, options);
  print_line(fmt::format("seed {}", options.seed));
  if (flags.schedules) {
    fmt::print("{}", schedules);
  }
  const LawSummary summary = summarize(check_law(subject, options));
  print_line(describe(summary));
  return summary.holds() ? 0 : 1;
}

}  // namespace

Command make_law_command() {
  auto flags = std::make_shared<Flags>();
  Command command{.name = "law",
                  .summary = "Check that every token is a pure function of its prefix, bit for bit",
                  .options = {},
                  .run = [flags] { return run(*flags); }};
  add_model_options(command.options, flags->model, /*positional=*/true);
  command.options.push_back({.name = "--seed",
                             .help = "of the random tokens and of the passes",
                             .target = &flags->seed,
                             .min = 0});
  command.options.push_back({.name = "--tokens",
                             .help = "of the prompt; 0 is 1,100 (300 for --fuzz) or the context, "
                                     "if that is shorter",
                             .target = &flags->tokens,
                             .min = 0});
  command.options.push_back(
      {.name = "--case", .help = "run only this case; all by default", .target = &flags->only});
  command.options.push_back({.name = "--schedules",
                             .help = "print the passes of each case first",
                             .target = &flags->schedules});
  command.options.push_back({.name = "--details",
                             .help = "print rows, time and state counters of each case",
                             .target = &flags->details});
  command.options.push_back(
      {.name = "--fuzz",
       .help = "run this many random schedules instead, the seed's and the next ones'",
       .target = &flags->fuzz,
       .min = 0});
  command.options.push_back(
      {.name = "--replay",
       .help = "run the schedule of this file, as --fuzz prints it, with the same --seed",
       .target = &flags->replay});
  return command;
}

}  // namespace invar

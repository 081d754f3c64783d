// invar bench: rates of a model on this machine, next to what the machine can read.
#include "engine/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/loaded_model.h"
#include "engine/bench_batch.h"
#include "engine/bench_verify.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/read_bandwidth.h"
#include "program/pretended_pass.h"

namespace invar {
namespace {

struct Flags {
  ModelFlags model;
  bool json = false;
  bool profile = false;
  int64_t prompt = 512;
  int64_t decode = 64;
  int64_t repeats = 3;
  int64_t sequences = 0;
  int64_t verify = 0;
};

struct Report {
  double load_seconds = 0;
  double read_bandwidth = 0;  // bytes per second
  int64_t vocabulary = 0;
  int64_t bytes_per_token = 0;  // weights and, at half the decoded positions, state
  std::optional<BatchBenchResult> batch = {};
  std::optional<VerifyBenchResult> verify = {};
};

// The same batch as a server's: the engine deals the rows, and each answer has its own prompt.
BatchBenchResult run_batch(const Flags& flags, const LoadedModel& loaded) {
  const int64_t positions = flags.prompt + flags.decode;
  Runner runner = loaded.make_runner({.context_positions = positions,
                                      .kv_blocks = flags.sequences * kv_blocks_for(positions),
                                      .rows_max = std::max<int64_t>(512, flags.sequences),
                                      .segments_max = flags.sequences,
                                      .logit_rows_max = flags.sequences});
  Engine engine(runner, {.waiting_max = flags.sequences});
  engine.start();
  return run_batch_bench(engine, {.sequences = flags.sequences,
                                  .prompt_tokens = flags.prompt,
                                  .decode_tokens = flags.decode,
                                  .repeats = static_cast<int>(flags.repeats),
                                  .vocabulary = runner.vocabulary()});
}

nlohmann::json profile_json(const Program& program, const std::vector<OpProfile>& profile) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ProfileRow& row : summarize_profile(program, profile)) {
    rows.push_back({{"op", row.op},
                    {"calls", row.calls},
                    {"seconds", row.seconds},
                    {"read_bytes", row.cost.read_bytes},
                    {"write_bytes", row.cost.write_bytes},
                    {"flops", row.cost.flops}});
  }
  return rows;
}

void print_profile(std::string_view title, const Program& program,
                   const std::vector<OpProfile>& profile) {
  const std::vector<ProfileRow> rows = summarize_profile(program, profile);
  double total = 0;
  for (const ProfileRow& row : rows) {
    total += row.seconds;
  }
  fmt::print("{}: {:.3f} s\n{:>7} {:>9} {:>8} {:>9} {:>9}  op\n", title, total, "share", "us/call",
             "calls", "GB/s", "GFLOP/s");
  for (const ProfileRow& row : rows) {
    const double bytes = static_cast<double>(row.cost.read_bytes + row.cost.write_bytes);
    fmt::print("{:>6.1f}% {:>9.1f} {:>8} {:>9.1f} {:>9.1f}  {}\n", 100 * row.seconds / total,
               1e6 * row.seconds / static_cast<double>(row.calls), row.calls,
               1e-9 * bytes / row.seconds, 1e-9 * static_cast<double>(row.cost.flops) / row.seconds,
               row.op);
  }
}

void print_json(const Flags& flags, const LoadedModel& loaded, const BenchResult& result,
                const Report& report) {
  const double decode_rate = static_cast<double>(flags.decode) / result.decode_seconds;
  nlohmann::json out{
      {"model", loaded.model->name},
      {"family", loaded.model->family},
      {"processor", cpu::processor_name()},
      {"backend", std::string(loaded.backend->name())},
      {"threads", loaded.team->lanes()},
      {"vocabulary", report.vocabulary},
      {"prompt_tokens", flags.prompt},
      {"decode_tokens", flags.decode},
      {"prefill_tokens_per_second", static_cast<double>(flags.prompt) / result.prefill_seconds},
      {"decode_tokens_per_second", decode_rate},
      {"time_to_first_token_seconds", result.first_token_seconds},
      {"load_seconds", report.load_seconds},
      {"weight_bytes", loaded.model->weight_bytes},
      {"bytes_per_token", report.bytes_per_token},
      {"read_bytes_per_second", static_cast<double>(report.bytes_per_token) * decode_rate},
      {"machine_read_bytes_per_second", report.read_bandwidth},
      {"share_of_read_bandwidth",
       static_cast<double>(report.bytes_per_token) * decode_rate / report.read_bandwidth},
      {"output_finite", result.output_finite},
      {"output_checked", result.output_checked}};
  if (report.batch) {
    out["batch"] = {{"sequences", flags.sequences},
                    {"tokens_per_second", report.batch->tokens_per_second},
                    {"time_to_first_token_seconds", report.batch->first_token_seconds},
                    {"least_time_to_first_token_seconds", report.batch->least_first_token_seconds},
                    {"seconds", report.batch->seconds},
                    {"output_checked", report.batch->output_checked}};
  }
  if (report.verify) {
    out["verify"] = {{"rows", flags.verify},
                     {"seconds", report.verify->verify_seconds},
                     {"decode_step_seconds", report.verify->decode_seconds},
                     {"reject_seconds", report.verify->reject_seconds},
                     {"units_copied", report.verify->units_copied},
                     {"output_checked", report.verify->output_checked}};
  }
  if (flags.profile) {
    out["prefill_profile"] = profile_json(loaded.model->program, result.prefill_profile);
    out["decode_profile"] = profile_json(loaded.model->program, result.decode_profile);
  }
  fmt::print("{}\n", out.dump(2));
}

std::string_view describe_check(const BenchResult& result) {
  if (!result.output_finite) {
    return "WRONG: logits that are not finite numbers";
  }
  return result.output_checked ? "checked: same bytes when the prompt is cut otherwise"
                               : "WRONG: other bytes when the prompt is cut otherwise";
}

void print_verify(const Flags& flags, const VerifyBenchResult& verify) {
  fmt::print(
      "verify     {} rows {:.3f} ms, {:.2f} x one decode step; rejected in {:.1f} us, {} unit(s) "
      "of state copied; {}\n",
      flags.verify, 1e3 * verify.verify_seconds, verify.verify_seconds / verify.decode_seconds,
      1e6 * verify.reject_seconds, verify.units_copied,
      verify.output_checked ? "checked: same bytes as decoded" : "WRONG: other bytes than decoded");
}

void print_text(const Flags& flags, const LoadedModel& loaded, const BenchResult& result,
                const Report& report) {
  const double decode_rate = static_cast<double>(flags.decode) / result.decode_seconds;
  const double bytes_per_second = static_cast<double>(report.bytes_per_token) * decode_rate;
  fmt::print("model      {} ({}, {:.1f} MB of weights), loaded in {:.3f} s\n", loaded.model->name,
             loaded.model->family, 1e-6 * static_cast<double>(loaded.model->weight_bytes),
             report.load_seconds);
  fmt::print("machine    {}, {} thread(s), {}, reads {:.1f} GB/s\n", cpu::processor_name(),
             loaded.team->lanes(), loaded.backend->name(), 1e-9 * report.read_bandwidth);
  fmt::print("prefill    {:.1f} tokens/s ({} tokens, {:.3f} s)\n",
             static_cast<double>(flags.prompt) / result.prefill_seconds, flags.prompt,
             result.prefill_seconds);
  fmt::print("first      {:.3f} s to the first token\n", result.first_token_seconds);
  fmt::print("decode     {:.1f} tokens/s ({} tokens, {:.3f} s)\n", decode_rate, flags.decode,
             result.decode_seconds);
  fmt::print("bytes      {:.1f} MB a token, {:.1f} GB/s, {:.0f} % of what the machine reads\n",
             1e-6 * static_cast<double>(report.bytes_per_token), 1e-9 * bytes_per_second,
             100 * bytes_per_second / report.read_bandwidth);
  fmt::print("output     {}\n", describe_check(result));
  if (report.batch) {
    fmt::print(
        "batch      {:.1f} tokens/s ({} sequences at a time, {:.3f} s), {:.3f} s to the "
        "first token; {}\n",
        report.batch->tokens_per_second, flags.sequences, report.batch->seconds,
        report.batch->first_token_seconds,
        report.batch->output_checked ? "checked: same tokens alone"
                                     : "WRONG: other tokens than alone");
  }
  if (report.verify) {
    print_verify(flags, *report.verify);
  }
  if (flags.profile) {
    print_profile("prefill", loaded.model->program, result.prefill_profile);
    print_profile("decode", loaded.model->program, result.decode_profile);
  }
}

int run(const Flags& flags) {
  const auto begin = std::chrono::steady_clock::now();
  const LoadedModel loaded = load(flags.model);
  Report report;
  report.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Runner runner = loaded.make_runner({.context_positions = loaded.model->context,
                                      .rows_max = 512,
                                      .segments_max = 1,
                                      .logit_rows_max = std::max<int64_t>(1, flags.verify)});
  const BenchResult result = run_bench(runner, {.prompt_tokens = flags.prompt,
                                                .decode_tokens = flags.decode,
                                                .repeats = static_cast<int>(flags.repeats),
                                                .profile = flags.profile});
  report.vocabulary = runner.vocabulary();
  report.read_bandwidth = cpu::measure_read_bandwidth(*loaded.team);
  report.bytes_per_token =
      PretendedPass(loaded.model->program, 1, flags.prompt + flags.decode / 2).cost().read_bytes;
  if (flags.sequences > 0) {
    report.batch = run_batch(flags, loaded);
  }
  if (flags.verify > 0) {
    report.verify = run_verify_bench(
        runner, {.rows = flags.verify, .prompt_tokens = flags.prompt, .steps = flags.decode});
  }
  if (flags.json) {
    print_json(flags, loaded, result, report);
  } else {
    print_text(flags, loaded, result, report);
  }
  const bool checked = result.output_checked && (!report.batch || report.batch->output_checked) &&
                       (!report.verify || report.verify->output_checked);
  return checked ? 0 : 1;
}

}  // namespace

Command make_bench_command() {
  auto flags = std::make_shared<Flags>();
  Command command{.name = "bench",
                  .summary = "Measure prefill and decode rates, output checked",
                  .options = {},
                  .run = [flags] { return run(*flags); }};
  add_model_options(command.options, flags->model, /*positional=*/true);
  std::vector<Option>& options = command.options;
  options.push_back({.name = "--json", .help = "print one JSON object", .target = &flags->json});
  options.push_back(
      {.name = "--profile", .help = "time, bytes and FLOPs of each op", .target = &flags->profile});
  options.push_back({.name = "-p,--prompt",
                     .help = "tokens of the prompt",
                     .target = &flags->prompt,
                     .min = 1,
                     .max = int64_t{1} << 20});
  options.push_back({.name = "-n,--decode",
                     .help = "tokens to decode",
                     .target = &flags->decode,
                     .min = 1,
                     .max = int64_t{1} << 20});
  options.push_back({.name = "--sequences",
                     .help = "also measure a batch of this many; 0: none",
                     .target = &flags->sequences,
                     .min = 0,
                     .max = 4096});
  options.push_back({.name = "--verify",
                     .help = "also measure the verification of this many rows; 0: none",
                     .target = &flags->verify,
                     .min = 0,
                     .max = 64});
  options.push_back({.name = "-r,--repeats",
                     .help = "runs; the median is reported",
                     .target = &flags->repeats,
                     .min = 1,
                     .max = 100});
  return command;
}

}  // namespace invar

// invar serve: a model behind the OpenAI API, until a signal ends it.
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "cli/command.h"
#include "cli/loaded_model.h"
#include "cli/model_path.h"
#include "core/error.h"
#include "engine/engine.h"
#include "server/fingerprint.h"
#include "server/server.h"
#include "server/web_page.h"

namespace invar {
namespace {

constexpr int64_t kPassRows = 512;
// Rows of logits besides one a sequence, for prompts whose tokens' log probabilities are wanted.
constexpr int64_t kScoredRows = 64;
// Prompts of one request, each of which takes a place of the queue.
constexpr int64_t kPromptsMax = 128;

struct Flags {
  ModelFlags model;
  std::string host = "127.0.0.1";
  std::string api_key;
  std::string cors_origin;
  int64_t port = 8080;
  int64_t sequences = 16;
  int64_t kv_positions = 0;
  int64_t queue = 256;
  int64_t connections = 1024;
  int64_t grace_seconds = 10;
};

uint64_t random_bits() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) {
    fail(Code::kIo, "the system gave no random numbers");
  }
  return bits;
}

// Without --kv-positions: every answer may fill its context, within a quarter of the machine's
// memory that recurrent state leaves, and one always may.
int64_t kv_blocks_of(const Flags& flags, const Model& model) {
  const auto blocks_for = [](int64_t positions) {
    return (positions + kKvBlockRows - 1) / kKvBlockRows;
  };
  if (flags.kv_positions > 0) {
    return blocks_for(flags.kv_positions);
  }
  StateCounts unit_bytes;
  for (const StateBufferInfo& buffer : model.program.state_buffers) {
    unit_bytes[buffer.unit] += buffer.bytes_per_unit();
  }
  const int64_t recurrent_bytes =
      kRecurrentUnitsMax * flags.sequences *
      (unit_bytes[StateUnit::kStatePage] + unit_bytes[StateUnit::kRowBlock]);
  const int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4;
  const int64_t one = blocks_for(model.context);
  const int64_t fitting = std::max<int64_t>(memory - recurrent_bytes, 0) /
                          std::max<int64_t>(unit_bytes[StateUnit::kKvBlock], 1);
  return std::max(one, std::min(one * flags.sequences, fitting));
}

ServerOptions server_options(const Flags& flags) {
  ServerOptions options{
      .api_key = flags.api_key, .cors_origin = flags.cors_origin, .random = random_bits};
  options.static_files = web_page();
  options.http.host = flags.host;
  options.http.port = static_cast<uint16_t>(flags.port);
  options.http.limits.connections_max = flags.connections;
  options.http.grace = std::chrono::seconds(flags.grace_seconds);
  options.http.stop_on_signals = true;
  return options;
}

void print_ready(const Flags& flags, uint16_t port) {
  const bool is_ipv6 = flags.host.find(':') != std::string::npos;
  fmt::print("listening on http://{}{}{}:{}\n", is_ipv6 ? "[" : "", flags.host, is_ipv6 ? "]" : "",
             port);
  if (std::fflush(stdout) != 0) {
    fail(Code::kIo, "standard output: cannot be written");
  }
}

int serve(const Flags& flags) {
  ModelFlags model_flags = flags.model;
  model_flags.model = model_path(model_flags.model);
  const ModelText text = load_model_text(model_flags.model);
  const LoadedModel loaded = load(model_flags);
  const Model& model = *loaded.model;
  Runner runner = loaded.make_runner({.context_positions = model.context,
                                      .kv_blocks = kv_blocks_of(flags, model),
                                      .rows_max = std::max(kPassRows, flags.sequences),
                                      .segments_max = flags.sequences,
                                      .logit_rows_max = flags.sequences + kScoredRows});
  Engine engine(runner, {.waiting_max = flags.queue, .eos_token_ids = end_token_ids(model, text)});
  engine.start();
  Server server({.id = model.name,
                 .fingerprint = system_fingerprint(model_digest(model_flags.model), model,
                                                   engine.prompt_tokens_max(1) + 1),
                 .created = std::time(nullptr),
                 .context_positions = model.context,
                 .choices_max = flags.sequences,
                 .prompts_max = std::min(flags.queue, kPromptsMax),
                 .vocabulary = runner.vocabulary(),
                 .engine = &engine,
                 .text = &text},
                server_options(flags));
  print_ready(flags, server.port());
  server.run();
  engine.shutdown(Shutdown::kCancel);
  return 0;
}

}  // namespace

Command make_serve_command() {
  auto flags = std::make_shared<Flags>();
  Command command{
      .name = "serve",
      .summary = "Serve a model over HTTP, with OpenAI's API",
      .options =
          {{.name = "MODEL",
            .help = "a GGUF file or a Hugging Face folder; without it, the default model",
            .target = &flags->model.model},
           {.name = "--host", .help = "the address to listen on", .target = &flags->host},
           {.name = "--port",
            .help = "the port to listen on; 0 is any free one",
            .target = &flags->port,
            .min = 0,
            .max = UINT16_MAX},
           {.name = "--api-key",
            .help = "clients must send this as 'Authorization: Bearer KEY'; empty: none is needed",
            .target = &flags->api_key,
            .may_be_empty = true},
           {.name = "--cors-origin",
            .help = "web pages of this origin may use the server; * is any; empty: none",
            .target = &flags->cors_origin,
            .may_be_empty = true},
           {.name = "--sequences",
            .help = "answers that are computed at the same time",
            .target = &flags->sequences,
            .min = 1,
            .max = 4096},
           {.name = "--kv-positions",
            .help = "positions of all answers together; 0: as many as fit, within a quarter of "
                    "the machine's memory",
            .target = &flags->kv_positions,
            .min = 0,
            .max = int64_t{1} << 32},
           {.name = "--queue",
            .help = "requests that may wait; more are answered with 429",
            .target = &flags->queue,
            .min = 1,
            .max = 65536},
           {.name = "--connections",
            .help = "connections at the same time",
            .target = &flags->connections,
            .min = 1,
            .max = 65536},
           {.name = "--grace",
            .help = "seconds for running answers after SIGTERM or SIGINT",
            .target = &flags->grace_seconds,
            .min = 0,
            .max = 86400}},
      .run = [flags] { return serve(*flags); }};
  add_model_options(command.options, flags->model, /*positional=*/false);
  return command;
}

}  // namespace invar

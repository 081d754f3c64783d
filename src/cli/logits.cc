// invar logits: the logits after every token of a list, as a safetensors file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/command.h"
#include "cli/loaded_model.h"
#include "cli/progress.h"
#include "core/error.h"
#include "engine/timeline.h"
#include "formats/mapped_file.h"
#include "formats/safetensors.h"

namespace invar {
namespace {

// Logit rows of a pass: enough for the matrix products' tiles, small next to a vocabulary's row.
constexpr int64_t kPassRows = 128;
constexpr int64_t kBytesMax = int64_t{16} << 30;

struct Flags {
  ModelFlags model;
  std::string tokens;
  std::string out;
};

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::vector<int32_t> read_token_ids(const std::string& path) {
  const MappedFile file(path);
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  const char* end = text + file.bytes().size();
  std::vector<int32_t> ids;
  const char* at = text;
  while (at != end) {
    if (is_space(*at)) {
      ++at;
      continue;
    }
    int32_t id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || id < 0 || (next != end && !is_space(*next))) {
      const char* word_end = std::find_if(at, end, is_space);
      fail(Code::kBadFile, "{}: token {}: expected an id, found '{}'", path, ids.size(),
           std::string_view(at, std::min<size_t>(word_end - at, 40)));
    }
    ids.push_back(id);
    at = next;
  }
  if (ids.empty()) {
    fail(Code::kBadFile, "{}: expected token ids, found none", path);
  }
  return ids;
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;  // what does not exist is no other's file
  return std::filesystem::equivalent(a, b, ignored);
}

// The output must not replace what it is made from.
void check_out(const Flags& flags) {
  namespace fs = std::filesystem;
  const fs::path out = flags.out;
  if (same_file(out, flags.tokens)) {
    fail(Code::kBadArgument, "--out: expected another file than --tokens, found {}", flags.out);
  }
  const fs::path folder = out.has_parent_path() ? out.parent_path() : ".";
  bool in_model = same_file(out, flags.model.model) || same_file(folder, flags.model.model);
  std::error_code ignored;  // no folder, nothing in it
  for (const fs::directory_entry& entry : fs::directory_iterator(flags.model.model, ignored)) {
    in_model = in_model || same_file(out, entry.path());
  }
  if (in_model) {
    fail(Code::kBadArgument, "--out: expected a file outside of the model {}, found {}",
         flags.model.model, flags.out);
  }
}

void check_token_ids(const std::vector<int32_t>& ids, const Runner& runner,
                     const std::string& path) {
  if (std::ssize(ids) > runner.context_positions()) {
    fail(Code::kBadFile, "{}: expected at most {} tokens (the context), found {}", path,
         runner.context_positions(), ids.size());
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= runner.vocabulary()) {
      fail(Code::kBadFile, "{}: token {}: expected an id from 0 to {}, found {}", path, i,
           runner.vocabulary() - 1, ids[i]);
    }
  }
}

int run(const Flags& flags) {
  check_out(flags);
  const std::vector<int32_t> ids = read_token_ids(flags.tokens);
  ModelFlags model_flags = flags.model;
  const LoadedModel loaded = load(model_flags);
  const auto count = static_cast<int64_t>(ids.size());
  Runner runner = loaded.make_runner({.context_positions = loaded.model->context,
                                      .rows_max = kPassRows,
                                      .segments_max = 1,
                                      .logit_rows_max = kPassRows});
  check_token_ids(ids, runner, flags.tokens);
  const int64_t vocabulary = runner.vocabulary();
  if (count * vocabulary > kBytesMax / 4) {
    fail(Code::kBadArgument, "--tokens: {} rows of {} logits: expected at most {} bytes, found {}",
         count, vocabulary, kBytesMax, count * vocabulary * 4);
  }
  std::vector<float> logits;
  logits.reserve(count * vocabulary);
  ProgressBar bar("logits");
  Timeline timeline(runner);
  timeline.append({.token_ids = ids, .rows = LogitRows::kAll},
                  [&](int64_t position, std::span<const float> row) {
                    logits.insert(logits.end(), row.begin(), row.end());
                    bar.update(position + 1, count);
                  });
  SafetensorsWriter writer;
  writer.add_f32("logits", {count, vocabulary}, logits);
  writer.write(flags.out);
  return 0;
}

}  // namespace

Command make_logits_command() {
  auto flags = std::make_shared<Flags>();
  Command command{.name = "logits",
                  .summary = "Write the logits after every token of a list",
                  .options = {},
                  .run = [flags] { return run(*flags); }};
  add_model_options(command.options, flags->model, /*positional=*/true);
  command.options.push_back({.name = "--tokens",
                             .help = "file of token ids separated by white space",
                             .target = &flags->tokens,
                             .required = true});
  command.options.push_back(
      {.name = "--out",
       .help = "safetensors file to write: tensor 'logits' f32 [n, vocabulary], as computed (a "
               "broken model's can be NaN)",
       .target = &flags->out,
       .required = true});
  return command;
}

}  // namespace invar

// invar tokenize: ids of a text, or a tokenizer against reference cases.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/read_text.h"
#include "core/error.h"
#include "formats/gguf.h"
#include "text/tokenizer.h"
#include "text/tokenizer_cases.h"

namespace invar {
namespace {

struct Flags {
  std::string model;
  std::string file;
  std::string cases;
  std::string tokenizer;
  bool special = false;
};

int run_cases(const Flags& flags) {
  if (flags.tokenizer.empty() || !flags.model.empty()) {
    fail(Code::kBadArgument,
         "tokenize --cases FILE: expected --tokenizer DIR and no MODEL, found {}",
         flags.model.empty() ? "no --tokenizer" : "MODEL '" + flags.model + "'");
  }
  const CaseCounts counts = check_tokenizer_cases(
      flags.cases, flags.tokenizer, [](const std::string& line) { fmt::print("{}\n", line); });
  fmt::print("{} passed, {} failed\n", counts.passed, counts.failed);
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}

int run(const Flags& flags) {
  if (!flags.cases.empty()) {
    return run_cases(flags);
  }
  if (flags.model.empty() || !flags.tokenizer.empty()) {
    fail(Code::kBadArgument, "tokenize: expected MODEL, or --cases FILE with --tokenizer DIR");
  }
  const Tokenizer tokenizer = std::filesystem::is_directory(flags.model)
                                  ? tokenizer_from_json(flags.model)
                                  : tokenizer_from_gguf(GgufFile::open(flags.model));
  const std::string text = flags.file.empty() ? read_standard_input() : read_text_file(flags.file);
  fmt::print("{}\n", fmt::join(tokenizer.encode(text, {.add_special_tokens = flags.special}), " "));
  return 0;
}

}  // namespace

Command make_tokenize_command() {
  auto flags = std::make_shared<Flags>();
  return {.name = "tokenize",
          .summary = "Print the token ids of a text",
          .options = {{.name = "MODEL",
                       .help = "a GGUF file or a Hugging Face folder",
                       .target = &flags->model},
                      {.name = "FILE",
                       .help = "the text; without it, standard input",
                       .target = &flags->file},
                      {.name = "--special",
                       .help = "add the tokens that the vocabulary puts around a text (BOS)",
                       .target = &flags->special},
                      {.name = "--cases",
                       .help = "check against a file of reference cases",
                       .target = &flags->cases},
                      {.name = "--tokenizer",
                       .help = "with --cases: the folder of tokenizer.json",
                       .target = &flags->tokenizer}},
          .run = [flags] { return run(*flags); }};
}

}  // namespace invar

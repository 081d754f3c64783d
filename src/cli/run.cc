// invar run: one answer, or a chat in the terminal.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <span>

#include "cli/chat_command.h"
#include "cli/command.h"
#include "cli/conversation.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/loaded_model.h"
#include "cli/model_path.h"
#include "cli/read_text.h"
#include "cli/standard_error.h"
#include "core/error.h"
#include "engine/engine.h"
#include "formats/json.h"
#include "formats/replaced_file.h"

namespace invar {
namespace {

constexpr std::string_view kHelp =
    "/help            this list\n"
    "/system TEXT     set the system message (empty: none)\n"
    "/reset           forget the conversation\n"
    "/save FILE       write the conversation as JSON\n"
    "/load FILE       read a conversation\n"
    "/quit            leave (or Ctrl-D)\n"
    "//TEXT           send a text that begins with one /\n"
    "Ctrl-C stops an answer. Pasted text may have several lines.\n";

struct Flags {
  ModelFlags model;
  std::string prompt;
  std::string system;
  double temperature = 0.2;
  double top_p = 0.9;
  double min_p = 0;
  double repetition_penalty = 1.1;
  int64_t top_k = 0;
  int64_t seed = 0;
  int64_t max_tokens = 1024;
};

AnswerOptions answer_options(const Flags& flags) {
  AnswerOptions options;
  options.sampling.temperature = static_cast<float>(flags.temperature);
  options.sampling.top_p = static_cast<float>(flags.top_p);
  options.sampling.min_p = static_cast<float>(flags.min_p);
  options.sampling.repetition_penalty = static_cast<float>(flags.repetition_penalty);
  options.sampling.top_k = static_cast<int32_t>(flags.top_k);
  options.sampling.seed = static_cast<uint64_t>(flags.seed);
  options.max_tokens = flags.max_tokens;
  return options;
}

class Chat {
 public:
  Chat(Conversation& conversation, AnswerOptions options)
      : conversation_(conversation), options_(std::move(options)) {}

  // Streams the answer to standard output.
  Answer answer(const std::string& user) {
    const Answer answer =
        conversation_.ask(user, options_,
                          {.on_text =
                               [](std::string_view text) {
                                 fmt::print("{}", text);
                                 if (std::fflush(stdout) != 0) {
                                   fail(Code::kIo, "standard output: cannot be written");
                                 }
                               },
                           .interrupted = [this] { return interrupt_.take(); }});
    fmt::print("\n");
    return answer;
  }

  int loop() {
    LineReader reader("> ");
    std::string line;
    while (true) {
      switch (reader.read(line)) {
        case LineReader::Outcome::kEnd:
          fmt::print("\n");
          return 0;
        case LineReader::Outcome::kInterrupted:
          interrupt_.take();
          fmt::print("\n(Ctrl-D or /quit leaves)\n");
          continue;
        case LineReader::Outcome::kLine:
          break;
      }
      if (line.starts_with('/') && !line.starts_with("//")) {
        const ChatCommand command = parse_chat_command(line);
        if (command.name == "/quit" || command.name == "/exit") {
          return 0;
        }
        report_errors([&] { run_command(command); });
      } else if (!line.empty()) {
        report_errors([&] { print_statistics(answer(line.substr(line[0] == '/' ? 1 : 0))); });
      }
    }
  }

 private:
  // A chat goes on after a request that failed: the message is shown and the prompt comes back.
  void report_errors(const std::function<void()>& work) {
    try {
      work();
    } catch (const std::exception& error) {
      print_exception(error);
    }
  }

  void run_command(const ChatCommand& command) {
    if (command.name == "/system") {
      conversation_.set_system(command.argument);
      confirm(command.argument.empty() ? "no system message" : "system message set");
    } else if (command.name == "/reset") {
      conversation_.reset();
      confirm("conversation forgotten");
    } else if (command.name == "/save") {
      save(file_of(command));
      confirm(fmt::format("{} messages saved", conversation_.messages().size()));
    } else if (command.name == "/load") {
      const std::string path = file_of(command);
      conversation_.set_messages(path, read_ordered_json_file(path));
      confirm(fmt::format("{} messages loaded", conversation_.messages().size()));
    } else if (command.name == "/help") {
      fmt::print("{}", kHelp);
    } else {
      fmt::print("unknown command {}\n(to send the line as a text, begin it with //)\n{}",
                 command.name, kHelp);
    }
  }

  static void confirm(std::string_view what) { print_standard_error(fmt::format("({})\n", what)); }

  void save(const std::string& path) {
    const std::string text = conversation_.messages().dump(
                                 2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                             "\n";
    ReplacedFile file(path);
    file.append(std::as_bytes(std::span(text)));
    file.commit();
  }

  static void print_statistics(const Answer& answer) {
    if (answer.end == AnswerEnd::kInterrupted) {
      print_standard_error("(stopped)\n");
      return;
    }
    const double decode = answer.seconds - answer.first_token_seconds;
    const std::string rate =
        answer.answer_tokens > 1 && decode > 0
            ? fmt::format(", {:.1f} tokens/s",
                          static_cast<double>(answer.answer_tokens - 1) / decode)
            : "";
    print_standard_error(
        fmt::format("({} prompt tokens, first token after {:.2f} s, {} tokens{}{})\n",
                    answer.prompt_tokens, answer.first_token_seconds, answer.answer_tokens, rate,
                    answer.end == AnswerEnd::kLength ? ", cut at the limit" : ""));
  }

  Conversation& conversation_;
  AnswerOptions options_;
  InterruptGuard interrupt_;
};

// What to answer; nothing if the person at the terminal is to be asked.
std::optional<std::string> find_prompt(const Flags& flags) {
  if (!flags.prompt.empty()) {
    return flags.prompt;
  }
  if (isatty(STDIN_FILENO) == 1) {
    return std::nullopt;
  }
  std::string text = read_standard_input();
  if (text.empty()) {
    fail(Code::kBadArgument, "prompt: expected a text by -p or by standard input, found nothing");
  }
  return text;
}

int run(const Flags& flags) {
  const std::optional<std::string> prompt = find_prompt(flags);
  ModelFlags model_flags = flags.model;
  model_flags.model = model_path(model_flags.model);
  const ModelText text = load_model_text(model_flags.model);
  const LoadedModel loaded = load(model_flags);
  Runner runner = loaded.make_runner({.context_positions = loaded.model->context,
                                      .rows_max = 512,
                                      .segments_max = 1,
                                      .logit_rows_max = 1});
  const EngineOptions options{.eos_token_ids = end_token_ids(*loaded.model, text)};
  Engine engine(runner, options);
  engine.start();
  Conversation conversation(engine, text);
  if (!flags.system.empty()) {
    conversation.set_system(flags.system);
  }
  Chat chat(conversation, answer_options(flags));
  if (prompt) {
    const Answer answer = chat.answer(*prompt);
    return answer.end == AnswerEnd::kInterrupted ? 1 : 0;
  }
  fmt::print("{}. /help lists commands.\n", loaded.model->name);
  return chat.loop();
}

}  // namespace

Command make_run_command() {
  auto flags = std::make_shared<Flags>();
  Command command{
      .name = "run",
      .summary = "Answer a prompt, or chat in the terminal",
      .options = {{.name = "MODEL",
                   .help = "a GGUF file or a Hugging Face folder; without it, the "
                           "default model",
                   .target = &flags->model.model},
                  {.name = "-p,--prompt", .help = "answer this and end", .target = &flags->prompt},
                  {.name = "--system",
                   .help = "the system message",
                   .target = &flags->system,
                   .may_be_empty = true},
                  {.name = "-n,--max-tokens",
                   .help = "tokens of an answer at most",
                   .target = &flags->max_tokens,
                   .min = 1,
                   .max = int64_t{1} << 24},
                  {.name = "--temperature",
                   .help = "0 always takes the likeliest token",
                   .target = &flags->temperature},
                  {.name = "--top-k",
                   .help = "choose among the k likeliest; 0 is off",
                   .target = &flags->top_k,
                   .min = 0,
                   .max = INT32_MAX},
                  {.name = "--top-p",
                   .help = "choose among the likeliest of this total probability",
                   .target = &flags->top_p},
                  {.name = "--min-p",
                   .help = "least probability relative to the likeliest",
                   .target = &flags->min_p},
                  {.name = "--repetition-penalty",
                   .help = "above 1 discourages repeating tokens",
                   .target = &flags->repetition_penalty},
                  {.name = "--seed",
                   .help = "the same seed gives the same answer",
                   .target = &flags->seed,
                   .min = 0}},
      .run = [flags] { return run(*flags); }};
  add_model_options(command.options, flags->model, /*positional=*/false);
  return command;
}

}  // namespace invar

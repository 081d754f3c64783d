// invar's entry: subcommands, their flags, and the one place where errors become a line on standard
// error and exit status 2.
#include <fcntl.h>
#include <fmt/ranges.h>
#include <langinfo.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cfloat>
#include <charconv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/command.h"
#include "cli/standard_error.h"
#include "core/error.h"
#include "formats/mapped_file.h"

namespace invar {
namespace {

std::vector<Command> make_commands() {
  return {
      make_bench_command(),     //
      make_doctor_command(),    //
      make_law_command(),       //
      make_logits_command(),    //
      make_plan_command(),      //
      make_run_command(),       //
      make_serve_command(),     //
      make_template_command(),  //
      make_tokenize_command(),  //
      make_verify_command(),    //
  };
}

// "-n,--max-tokens" is called --max-tokens in messages.
std::string long_name(const std::string& name) {
  return name.substr(name.rfind(',') + 1);
}

// All of `text` as a number of this type; the target keeps its value otherwise.
template <class T>
[[nodiscard]] bool parse_number(const std::string& text, T& target) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || next != end) {
    return false;
  }
  target = value;
  return true;
}

void set_text(const Option& option, const std::string& text) {
  if (text.empty() && !option.may_be_empty) {
    fail(Code::kBadArgument, "{}: expected a text, found ''", long_name(option.name));
  }
  if (!option.choices.empty() &&
      std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end()) {
    fail(Code::kBadArgument, "{}: expected one of {}, found '{}'", long_name(option.name),
         fmt::join(option.choices, ", "), text);
  }
  *std::get<std::string*>(option.target) = text;
}

void set_integer(const Option& option, const std::string& text) {
  int64_t value = 0;
  if (!parse_number(text, value) || value < option.min || value > option.max) {
    fail(Code::kBadArgument, "{}: expected an integer from {} to {}, found '{}'",
         long_name(option.name), option.min, option.max, text);
  }
  *std::get<int64_t*>(option.target) = value;
}

void set_number(const Option& option, const std::string& text) {
  double value = 0;
  // What f32 cannot hold would become an infinity on the way.
  if (!parse_number(text, value) || !(std::abs(value) <= FLT_MAX)) {
    fail(Code::kBadArgument, "{}: expected a number, found '{}'", long_name(option.name), text);
  }
  *std::get<double*>(option.target) = value;
}

// Values are read here, not by the parser: it clamps integers that are out of range.
void add_option(CLI::App& app, const Option& option) {
  if (auto* const* flag = std::get_if<bool*>(&option.target)) {
    app.add_flag(option.name, **flag, option.help);
    return;
  }
  std::string shown;
  std::string type = "TEXT";
  void (*set)(const Option&, const std::string&) = &set_text;
  if (auto* const* text = std::get_if<std::string*>(&option.target)) {
    shown = **text;
    if (!option.choices.empty()) {
      type = fmt::format("{}", fmt::join(option.choices, "|"));
    }
  } else if (auto* const* integer = std::get_if<int64_t*>(&option.target)) {
    shown = fmt::format("{}", **integer);
    type = option.min != INT64_MIN && option.max != INT64_MAX
               ? fmt::format("INT {}..{}", option.min, option.max)
               : "INT";
    set = &set_integer;
  } else {
    shown = fmt::format("{}", *std::get<double*>(option.target));
    type = "NUMBER";
    set = &set_number;
  }
  app.add_option_function<std::string>(
         option.name, [&option, set](const std::string& text) { set(option, text); }, option.help)
      ->type_name(type)
      ->default_str(shown)
      ->required(option.required);
}

// Ids 0 to 2 that are closed would go to the next file that is opened, and output into it. Neither
// reading nor writing works on a mere place, so the closed ones fail as they should.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) {
      open("/", O_PATH | O_DIRECTORY);  // takes the lowest free number: this one
    }
  }
}

// The terminal's line editing needs to know how characters are encoded.
void set_character_encoding() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(nl_langinfo(CODESET)) != "UTF-8") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
  }
}

void on_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
  // A signal that was sent holds no address.
  const std::string_view name = info->si_code > 0 ? mapped_file_at(info->si_addr) : "";
  constexpr std::string_view kEnd = " was shortened while in use\n";
  std::array<char, 512> line{};  // the names are shorter
  size_t size = 0;
  for (const std::string_view part :
       {std::string_view("invar: "), name, std::string_view(name.empty() ? "" : ": "),
        std::string_view("a mapped model file"), kEnd}) {
    std::memcpy(line.data() + size, part.data(), part.size());
    size += part.size();
  }
  // Nothing is left to do if even this cannot be written.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), size);
  _exit(2);
}

// Reading a mapped file beyond its new end raises SIGBUS. Writing beyond the file size limit raises
// SIGXFSZ, but fails with a reason where that is ignored.
void explain_signals() {
  struct sigaction action {};
  action.sa_sigaction = &on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Output that stays in a buffer until the end can still fail there.
int finish_output(int status) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error_line("standard output: cannot be written");
    return 2;
  }
  return status;
}

// The parser's complaints in this program's form: what, expected, found.
std::string explain(const CLI::ParseError& error, const CLI::App& app, const Command* command) {
  const std::string where = command == nullptr ? "invar" : "invar " + command->name;
  if (const auto unknown = app.remaining(/*recurse=*/true); !unknown.empty()) {
    return fmt::format("{}: expected what --help lists, found '{}'", where, unknown.front());
  }
  if (command != nullptr && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const CLI::App* sub = app.get_subcommand(command->name);
    for (const Option& option : command->options) {
      if (option.required && sub->get_option(long_name(option.name))->count() == 0) {
        return fmt::format("{}: expected {}, found nothing", long_name(option.name), option.help);
      }
    }
  }
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return fmt::format("{}: expected a value, found nothing", text.substr(0, text.find(':')));
  }
  return fmt::format("{}: {}", where, text);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"Invar: language models where every token is a pure function of its prefix.",
               "invar"};
  app.set_version_flag("--version", "invar 0.1.0");
  app.require_subcommand(1);
  std::vector<Command> commands = make_commands();
  const Command* chosen = nullptr;
  std::vector<std::string_view> names;
  for (const Command& command : commands) {
    names.push_back(command.name);
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    for (const Option& option : command.options) {
      add_option(*sub, option);
    }
    sub->callback([&chosen, &command] { chosen = &command; });
  }
  if (argc < 2) {
    print_standard_error(app.help());
    return 2;
  }
  const std::string_view first = argv[1];
  const auto named = std::find(names.begin(), names.end(), first);
  if (!first.starts_with("-") && named == names.end()) {
    fail(Code::kBadArgument, "command: expected one of {}, found '{}'", fmt::join(names, ", "),
         first);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return finish_output(app.exit(error));  // --help and --version
    }
    const Command* command =
        named == names.end() ? nullptr : &commands[static_cast<size_t>(named - names.begin())];
    fail(Code::kBadArgument, "{}", explain(error, app, command));
  }
  return finish_output(chosen->run());
}

int run(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    print_exception(error);
    return 2;
  }
}

}  // namespace
}  // namespace invar

int main(int argc, char** argv) {
  invar::occupy_closed_streams();
  invar::set_character_encoding();
  invar::explain_signals();
  return invar::run(argc, argv);
}

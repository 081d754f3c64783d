// invar's entry: subcommands, their flags, and the one place where errors become a line on standard
// error and exit status 2.
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "core/error.h"

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

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* added = nullptr;
  if (auto* const* text = std::get_if<std::string*>(&option.target)) {
    added = app.add_option(option.name, **text, option.help);
    if (!option.choices.empty()) {
      added->check(CLI::IsMember(option.choices));
    }
  } else if (auto* const* integer = std::get_if<int64_t*>(&option.target)) {
    added = app.add_option(option.name, **integer, option.help);
    if (option.min != INT64_MIN || option.max != INT64_MAX) {
      added->check(CLI::Range(option.min, option.max));
    }
  } else if (auto* const* number = std::get_if<double*>(&option.target)) {
    added = app.add_option(option.name, **number, option.help);
  } else {
    added = app.add_flag(option.name, *std::get<bool*>(option.target), option.help);
  }
  added->required(option.required);
  if (!std::holds_alternative<bool*>(option.target)) {
    added->capture_default_str();
  }
}

// The parser's messages can have several lines; scripts rely on one.
void print_error(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  fmt::print(stderr, "invar: {}\n", message);
}

int run(int argc, char** argv) {
  CLI::App app{"Invar: language models where every token is a pure function of its prefix."};
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
  try {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (!first.starts_with("-") && std::find(names.begin(), names.end(), first) == names.end()) {
      fail(Code::kBadArgument, "command: expected one of {}, found '{}'", fmt::join(names, ", "),
           first);
    }
    app.parse(argc, argv);
    return chosen->run();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help and --version
    }
    print_error(error.what());
  } catch (const Error& error) {
    print_error(error.what());
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return 2;
}

}  // namespace
}  // namespace invar

int main(int argc, char** argv) {
  return invar::run(argc, argv);
}

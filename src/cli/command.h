// A subcommand as data: one list of options feeds flags, --help and their checks. Only main.cc
// knows the argument parser.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace invar {

struct Option {
  std::string name;  // "--threads", "-p,--prompt", or "MODEL" for a positional argument
  std::string help;  // one sentence; what the default means
  std::variant<std::string*, int64_t*, double*, bool*> target;  // holds the default
  bool required = false;
  std::vector<std::string> choices = {};  // of a string option; empty: anything
  bool may_be_empty = false;              // a string option: whether '' is a value
  int64_t min = INT64_MIN;                // of an integer option
  int64_t max = INT64_MAX;
};

// Exit status of `run`: 0 done and holds, 1 ran and does not hold. Errors are thrown (2).
struct Command {
  std::string name;
  std::string summary;
  std::vector<Option> options;
  std::function<int()> run;
};

// One for each file of this folder that holds a subcommand; main.cc lists them.
Command make_bench_command();
Command make_doctor_command();
Command make_law_command();
Command make_logits_command();
Command make_plan_command();
Command make_run_command();
Command make_serve_command();
Command make_template_command();
Command make_tokenize_command();
Command make_verify_command();

}  // namespace invar

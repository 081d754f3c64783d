// The project's error policy in code. Three kinds of failure, three means:
//   a bug                        CHECK(...): prints the condition, values and place, then aborts;
//   this unit of work must stop  throw Error{code, message}: bad file, flag, request, exhausted
//                                memory at start. Caught in main, the HTTP handler, the engine
//                                step and the disk thread only;
//   an expected outcome          a return value marked [[nodiscard]].
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace invar {

enum class Code {
  kBadFile,      // a file's content is wrong or cannot be read
  kBadArgument,  // a flag or a request field is wrong
  kUnsupported,  // understood, but this program does not do it
  kExhausted,    // memory, disk or a pool cannot satisfy the request
  kIo,           // the operating system refused
};

std::string_view code_name(Code code);

// The one exception type. `what()` says where, what was expected and what was found, for example
// "model.safetensors: tensor 'lm_head.weight': expected [151936, 2048], found [151936, 1024]".
class Error : public std::runtime_error {
 public:
  // A NUL in the message appears as \x00.
  Error(Code code, const std::string& message);
  Code code() const { return code_; }

 private:
  Code code_;
};

// Throws Error with a message made by fmt.
template <class... Args>
[[noreturn]] void fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

// Prints the message with the place on standard error and aborts. Never reachable from user input.
[[noreturn]] void check_failed(std::string_view condition, const std::string& message,
                               std::source_location where);

}  // namespace invar

// INVAR_CHECK(condition, "format", values...): on in release builds too.
#define INVAR_CHECK(condition, ...)                                    \
  do {                                                                 \
    if (!(condition)) [[unlikely]] {                                   \
      ::invar::check_failed(#condition, ::fmt::format("" __VA_ARGS__), \
                            ::std::source_location::current());        \
    }                                                                  \
  } while (false)

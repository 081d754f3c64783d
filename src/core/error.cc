// Implementation of the error policy's printing half (error.h).
#include "core/error.h"

#include <cstdlib>

namespace invar {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kBadFile:
      return "bad file";
    case Code::kBadArgument:
      return "bad argument";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kExhausted:
      return "exhausted";
    case Code::kIo:
      return "input/output";
  }
  return "unknown";
}

namespace {

// what() ends at a NUL, which names in files can hold.
std::string without_nul(std::string message) {
  for (size_t at = message.find('\0'); at != std::string::npos; at = message.find('\0', at)) {
    message.replace(at, 1, "\\x00");
  }
  return message;
}

}  // namespace

Error::Error(Code code, const std::string& message)
    : std::runtime_error(without_nul(message)), code_(code) {}

void check_failed(std::string_view condition, const std::string& message,
                  std::source_location where) {
  fmt::print(stderr, "invar: internal error: {} failed at {}:{} in {}{}{}\n", condition,
             where.file_name(), where.line(), where.function_name(), message.empty() ? "" : ": ",
             message);
  std::abort();
}

}  // namespace invar

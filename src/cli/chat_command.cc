// See chat_command.h.
#include "cli/chat_command.h"

#include <cstdlib>
#include <string_view>

#include "core/error.h"

namespace invar {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

}  // namespace

ChatCommand parse_chat_command(const std::string& line) {
  const size_t end = line.find_first_of(kWhiteSpace);
  ChatCommand command{.name = line.substr(0, end), .argument = {}};
  const size_t begin = line.find_first_not_of(kWhiteSpace, end);
  if (begin != std::string::npos) {
    command.argument = line.substr(begin, line.find_last_not_of(kWhiteSpace) + 1 - begin);
  }
  return command;
}

std::string file_of(const ChatCommand& command) {
  const std::string& file = command.argument;
  if (file.empty()) {
    fail(Code::kBadArgument, "{}: expected a file, found nothing", command.name);
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && (file == "~" || file.starts_with("~/"))) {
    return home + file.substr(1);
  }
  return file;
}

}  // namespace invar

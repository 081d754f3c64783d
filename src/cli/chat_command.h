// The commands of the chat in the terminal, as they are typed.
#pragma once

#include <string>

namespace invar {

struct ChatCommand {
  std::string name;      // with its slash
  std::string argument;  // the rest of the line, without the white space around it
};

// `line` begins with a slash.
ChatCommand parse_chat_command(const std::string& line);

// The file that a command names; a leading "~" or "~/" stands for the folder of HOME. Throws
// kBadArgument if it names none.
std::string file_of(const ChatCommand& command);

}  // namespace invar

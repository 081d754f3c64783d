// Test support: the chat at a terminal of its own, step by step.
#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/program.h"

namespace invar {

// The default model's chat, without any locale in the environment, with HOME set to `home`, and
// with `flags` more.
class TerminalChat {
 public:
  explicit TerminalChat(const std::string& home = "/", const std::vector<std::string>& flags = {}) {
    std::vector<std::string> words = {"env",         "-i",  "TERM=xterm",     "HOME=" + home,
                                      INVAR_PROGRAM, "run", kDefaultModelFile};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    process_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (process_ == 0) {
      ::chdir(INVAR_SOURCE_DIR);
      ::execv("/usr/bin/env", arguments.data());
      ::_exit(127);
    }
  }
  ~TerminalChat() {
    ::close(terminal_);
    if (!ended_) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  TerminalChat(const TerminalChat&) = delete;
  TerminalChat& operator=(const TerminalChat&) = delete;

  int terminal() const { return terminal_; }
  pid_t process() const { return process_; }
  void type(const std::string& text) {
    EXPECT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // What is printed up to and with `text`; everything, if it does not come or the chat ends.
  std::string read_until(const std::string& text) {
    std::string printed;
    pollfd ready{.fd = terminal_, .events = POLLIN, .revents = 0};
    char byte = 0;
    while (!printed.ends_with(text) && ::poll(&ready, 1, 60'000) == 1 &&
           ::read(terminal_, &byte, 1) == 1) {
      printed += byte;
    }
    EXPECT_TRUE(printed.ends_with(text)) << printed;
    return printed;
  }
  // Until the chat takes characters one by one: before, the terminal keeps 4,095 bytes of a line.
  void wait_for_line_editing() {
    termios settings{};
    for (int i = 0; i < 6000; ++i) {
      if (::tcgetattr(terminal_, &settings) == 0 && (settings.c_lflag & ICANON) == 0) {
        return;
      }
      ::usleep(10'000);
    }
    ADD_FAILURE() << "the chat does not edit lines";
  }
  // The status that waitpid gives when the chat has ended.
  int wait_for_end() {
    int status = 0;
    EXPECT_EQ(::waitpid(process_, &status, 0), process_);
    ended_ = true;
    return status;
  }

 private:
  int terminal_ = -1;
  pid_t process_ = -1;
  bool ended_ = false;
};

}  // namespace invar

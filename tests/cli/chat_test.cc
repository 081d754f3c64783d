// What must not end a chat, and what is left when something does.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>

#include <csignal>

#include "cli/terminal_chat.h"

namespace invar {
namespace {

using testing::HasSubstr;

constexpr const char* kPrompt = "> ";

TEST(Chat, CommandsSayWhatTheyDid) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "chat.json").string();
  TerminalChat chat;
  chat.read_until(kPrompt);
  const auto expect_reply = [&](const std::string& command, const std::string& reply) {
    chat.type(command + "\n");
    EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(" + reply + ")"));
  };
  expect_reply("/system Be kind.", "system message set");
  expect_reply("/save " + file, "1 messages saved");
  expect_reply("/system", "no system message");
  expect_reply("/load " + file, "1 messages loaded");
  expect_reply("/reset", "conversation forgotten");
}

TEST(Chat, AFailedSaveKeepsTheOldFile) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.write("chat.json", "what was saved before");
  ::chmod(file.c_str(), 0600);
  TerminalChat chat;
  chat.read_until(kPrompt);
  const rlimit none{.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(chat.process(), RLIMIT_FSIZE, &none, nullptr), 0);
  chat.type("/save " + file.string() + "\n");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("chat.json: cannot write: File too large"));
  EXPECT_EQ(std::filesystem::file_size(file), 21u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
  const rlimit any{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(chat.process(), RLIMIT_FSIZE, &any, nullptr), 0);
  chat.type("/save " + file.string() + "\n");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(0 messages saved)"));
  EXPECT_EQ(std::filesystem::file_size(file), 3u);
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);  // a private conversation stays private
}

TEST(Chat, GoesOnWhenMemoryRunsOut) {
  INVAR_NEEDS_DEFAULT_MODEL();
  INVAR_NEEDS_LIMITED_MEMORY();
  const TemporaryDirectory directory;
  constexpr size_t kTextBytes = size_t{30} << 20;
  const std::string file =
      directory.write("long.json", "[\"" + std::string(kTextBytes, 'a') + "\"]").string();
  TerminalChat chat;
  chat.read_until(kPrompt);
  // Enough to map the file, not to hold its text as well.
  const uint64_t used = address_space_bytes(std::to_string(chat.process()));
  const rlimit little{.rlim_cur = used + kTextBytes + (4 << 20), .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(chat.process(), RLIMIT_AS, &little, nullptr), 0);
  chat.type("/load " + file + "\n");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("invar: out of memory"));
  chat.type("/quit\n");
  EXPECT_EQ(chat.wait_for_end(), 0);
}

TEST(Chat, AnInterruptedPasteGivesANewPrompt) {
  INVAR_NEEDS_DEFAULT_MODEL();
  TerminalChat chat;
  chat.read_until(kPrompt);
  chat.type("\x1b[200~half of a paste");
  ::usleep(200'000);  // until the editor waits for the rest
  chat.type("\x03");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(Ctrl-D or /quit leaves)"));
  chat.type("/quit\n");
  EXPECT_EQ(chat.wait_for_end(), 0);
}

TEST(Chat, SignalsThatEndItLeaveTheTerminalAsItWas) {
  INVAR_NEEDS_DEFAULT_MODEL();
  for (const int signal : {SIGTERM, SIGHUP, SIGQUIT}) {
    TerminalChat chat;
    termios before{};
    ASSERT_EQ(::tcgetattr(chat.terminal(), &before), 0);
    chat.read_until(kPrompt);
    termios editing{};
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(::tcgetattr(chat.terminal(), &editing), 0);
      if ((editing.c_lflag & ECHO) == 0) {
        break;
      }
      ::usleep(10'000);
    }
    ASSERT_EQ(editing.c_lflag & ECHO, 0u);
    ::kill(chat.process(), signal);
    chat.read_until("\x1b[?2004l");
    termios after{};
    const int status = chat.wait_for_end();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    ASSERT_EQ(::tcgetattr(chat.terminal(), &after), 0);
    EXPECT_EQ(after.c_lflag, before.c_lflag);
    EXPECT_EQ(after.c_iflag, before.c_iflag);
  }
}

TEST(Chat, AnEditorsSettingsCannotHarmIt) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory home;
  home.write(".editrc", std::string(100'000, 'x') + "\n");
  TerminalChat chat(home.path().string());
  chat.read_until(kPrompt);
  chat.type("/quit\n");
  EXPECT_EQ(chat.wait_for_end(), 0);
}

TEST(Chat, AnAnswerThatNeverBeganIsNotKept) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "chat.json";
  TerminalChat chat;
  chat.read_until(kPrompt);
  chat.wait_for_line_editing();
  std::string question;
  for (int i = 0; i < 2000; ++i) {
    question += "word ";  // long enough that no token comes before Ctrl-C
  }
  chat.type("\x1b[200~" + question + "\x1b[201~\n");
  chat.read_until("\x1b[?2004l");
  ::usleep(100'000);
  chat.type("\x03");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(stopped)"));
  chat.type("/save " + file.string() + "\n");
  chat.read_until("(0 messages saved)");
}

TEST(Chat, ControlDWhileAnAnswerIsWrittenLeavesAtTheNextPrompt) {
  INVAR_NEEDS_DEFAULT_MODEL();
  TerminalChat chat("/", {"-n", "60"});
  chat.read_until(kPrompt);
  chat.wait_for_line_editing();
  chat.type("Tell me a story.\n");
  chat.read_until("\x1b[?2004l");
  chat.type("\x04");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("60 tokens"));
  EXPECT_EQ(chat.wait_for_end(), 0);
}

TEST(Chat, WhatIsTypedWhileAnAnswerIsWrittenWaitsForThePrompt) {
  INVAR_NEEDS_DEFAULT_MODEL();
  TerminalChat chat("/", {"-n", "60"});
  chat.read_until(kPrompt);
  chat.wait_for_line_editing();
  chat.type("Tell me a story.\n");
  chat.read_until("\x1b[?2004l");
  chat.type("/resex\x7ft\x04\n");  // with a key that deletes; Ctrl-D in a line does nothing
  const std::string answer = chat.read_until(kPrompt);
  EXPECT_THAT(answer, HasSubstr("60 tokens"));
  EXPECT_THAT(answer, Not(HasSubstr("/rese")));
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(conversation forgotten)"));
  chat.type("\x04");
  EXPECT_EQ(chat.wait_for_end(), 0);
}

TEST(Chat, ATextMayBeginWithASlash) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory home;
  TerminalChat chat(home.path().string(), {"-n", "1"});
  chat.read_until(kPrompt);
  chat.wait_for_line_editing();
  chat.type("/usr/bin/foo fails\n");
  EXPECT_THAT(chat.read_until(kPrompt), testing::AllOf(HasSubstr("unknown command /usr/bin/foo"),
                                                       HasSubstr("begin it with //")));
  chat.type("\x1b[A\x01/\n");  // the line before, with a slash more at its begin
  chat.read_until("prompt tokens");
  chat.read_until(kPrompt);
  chat.type("/save  ~/a chat.json \n");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(2 messages saved)"));
  std::ifstream file(home.path() / "a chat.json");
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>(file), {}}),
              HasSubstr("\"content\": \"/usr/bin/foo fails\""));
  chat.type("/load ~/a chat.json\n");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("(2 messages loaded)"));
  chat.type("/save \n");
  EXPECT_THAT(chat.read_until(kPrompt), HasSubstr("/save: expected a file, found nothing"));
  chat.type("/quit \n");
  EXPECT_EQ(chat.wait_for_end(), 0);
}

}  // namespace
}  // namespace invar

// The one place that knows libedit.
#include "cli/line_reader.h"

#include <histedit.h>

#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "core/error.h"

namespace invar {
namespace {

constexpr int kHistoryLines = 500;

// Bracketed paste: the terminal puts marks around what is pasted, so that a line end in it is text
// and sends nothing. Terminals that do not know it ignore the request.
constexpr std::string_view kPasteOn = "\x1b[?2004h";
constexpr std::string_view kPasteOff = "\x1b[?2004l";
constexpr const char* kPasteBegin = "^[[200~";
constexpr std::wstring_view kPasteEnd = L"\x1b[201~";
constexpr wchar_t kFirstPrintable = 0x20;

void send_to_terminal(std::string_view sequence) {
  if (isatty(STDOUT_FILENO) == 1) {
    std::fwrite(sequence.data(), 1, sequence.size(), stdout);
    std::fflush(stdout);
  }
}

// What the editor's functions share with the reader.
struct Shared {
  std::string prompt;
  bool interrupted = false;  // a signal came while something was pasted
};

Shared& shared_of(EditLine* editor) {
  void* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  return *static_cast<Shared*>(data);
}

char* prompt_of(EditLine* editor) {
  return shared_of(editor).prompt.data();
}

// Called by the editor at the mark that begins a paste: what follows up to the end mark becomes
// part of the line. Of control characters only tabs and line ends are kept.
unsigned char insert_paste(EditLine* editor, int /*key*/) {
  std::wstring text;
  wchar_t next = 0;
  while (!text.ends_with(kPasteEnd)) {
    errno = 0;
    if (el_wgetc(editor, &next) != 1) {
      shared_of(editor).interrupted = errno == EINTR;
      return CC_EOF;
    }
    text += next == L'\r' ? L'\n' : next;  // terminals send a carriage return for a line end
  }
  text.resize(text.size() - kPasteEnd.size());
  std::erase_if(text, [](wchar_t c) { return c < kFirstPrintable && c != L'\n' && c != L'\t'; });
  const bool inserted = text.empty() || el_winsertstr(editor, text.c_str()) == 0;
  return inserted ? CC_REFRESH : CC_ERROR;
}

// A handler reaches static storage only.
termios settings_before_editing;

// For signals that end the program: gives the terminal back first, by calls that a handler may
// make. SA_RESETHAND has put the signal's own action back, which follows when this returns.
void restore_terminal(int signal) {
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, kPasteOff.data(), kPasteOff.size());
  tcsetattr(STDIN_FILENO, TCSANOW, &settings_before_editing);
  raise(signal);
}

// While it lives, the terminal sends every key as it is and shows none: what is typed between two
// lines waits for the next one. (A terminal that gathers lines would turn an early Ctrl-D into a
// null byte, which the editor takes into its line.) The editor's own changes come and go on top.
class TerminalGuard {
 public:
  TerminalGuard() {
    if (tcgetattr(STDIN_FILENO, &settings_before_editing) != 0) {
      return;
    }
    is_terminal_ = true;
    hold_keys();
    for (size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_DFL) {
        action.sa_handler = &restore_terminal;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(kSignals[i], &action, nullptr);
        changed_[i] = true;
      }
    }
  }
  ~TerminalGuard() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      if (changed_[i]) {
        sigaction(kSignals[i], &before_[i], nullptr);
      }
    }
    if (is_terminal_) {
      tcsetattr(STDIN_FILENO, TCSADRAIN, &settings_before_editing);
    }
  }
  // To be called when the editor has put its settings back.
  void hold_keys() const {
    if (is_terminal_) {
      termios settings = settings_before_editing;
      settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
      settings.c_cc[VMIN] = 1;
      settings.c_cc[VTIME] = 0;
      tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
    }
  }
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

 private:
  static constexpr std::array kSignals{SIGHUP, SIGTERM, SIGQUIT};
  std::array<struct sigaction, kSignals.size()> before_{};
  std::array<bool, kSignals.size()> changed_{};
  bool is_terminal_ = false;
};

}  // namespace

struct LineReader::State {
  Shared shared;
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::optional<TerminalGuard> guard;
};

LineReader::LineReader(std::string prompt) : state_(std::make_unique<State>()) {
  state_->shared.prompt = std::move(prompt);
  state_->editor = el_init("invar", stdin, stdout, stderr);
  state_->history = history_init();
  if (state_->editor == nullptr || state_->history == nullptr) {
    fail(Code::kIo, "terminal: line editing could not be started");
  }
  HistEvent event;
  history(state_->history, &event, H_SETSIZE, kHistoryLines);
  history(state_->history, &event, H_SETUNIQUE, 1);
  el_set(state_->editor, EL_CLIENTDATA, &state_->shared);
  el_set(state_->editor, EL_PROMPT, &prompt_of);
  el_set(state_->editor, EL_EDITOR, "emacs");
  el_set(state_->editor, EL_HIST, &history, state_->history);
  el_set(state_->editor, EL_BIND, "^[[A", "ed-prev-history", nullptr);
  el_set(state_->editor, EL_BIND, "^[[B", "ed-next-history", nullptr);
  // Wide, because the editor copies narrow names and never frees the copies.
  el_wset(state_->editor, EL_ADDFN, L"invar-paste", L"Insert what is pasted", &insert_paste);
  el_set(state_->editor, EL_BIND, kPasteBegin, "invar-paste", nullptr);
  state_->guard.emplace();  // last: the editor learns the settings that it puts back
}

LineReader::~LineReader() {
  if (state_->history != nullptr) {
    history_end(state_->history);
  }
  if (state_->editor != nullptr) {
    el_end(state_->editor);
  }
}

LineReader::Outcome LineReader::read(std::string& line) {
  int count = 0;
  state_->shared.interrupted = false;
  send_to_terminal(kPasteOn);
  errno = 0;
  const char* text = el_gets(state_->editor, &count);
  const int error = errno;
  state_->guard->hold_keys();
  send_to_terminal(kPasteOff);
  if (state_->shared.interrupted) {
    return Outcome::kInterrupted;
  }
  if (text == nullptr || count <= 0) {
    return count < 0 && error == EINTR ? Outcome::kInterrupted : Outcome::kEnd;
  }
  line.assign(text, static_cast<size_t>(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.pop_back();
  }
  if (!line.empty()) {
    HistEvent event;
    history(state_->history, &event, H_ENTER, line.c_str());
  }
  return Outcome::kLine;
}

}  // namespace invar

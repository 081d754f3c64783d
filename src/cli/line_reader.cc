// The one place that knows libedit.
#include "cli/line_reader.h"

#include <histedit.h>

#include <unistd.h>

#include <cerrno>
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

// Called by the editor at the mark that begins a paste: what follows up to the end mark becomes
// part of the line. Of control characters only tabs and line ends are kept.
unsigned char insert_paste(EditLine* editor, int /*key*/) {
  std::wstring text;
  wchar_t next = 0;
  while (!text.ends_with(kPasteEnd)) {
    if (el_wgetc(editor, &next) != 1) {
      return CC_EOF;
    }
    text += next == L'\r' ? L'\n' : next;  // terminals send a carriage return for a line end
  }
  text.resize(text.size() - kPasteEnd.size());
  std::erase_if(text, [](wchar_t c) { return c < kFirstPrintable && c != L'\n' && c != L'\t'; });
  const bool inserted = text.empty() || el_winsertstr(editor, text.c_str()) == 0;
  return inserted ? CC_REFRESH : CC_ERROR;
}

}  // namespace

struct LineReader::State {
  std::string prompt;
  EditLine* editor = nullptr;
  History* history = nullptr;
};

namespace {

char* prompt_of(EditLine* editor) {
  void* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  return static_cast<std::string*>(data)->data();
}

}  // namespace

LineReader::LineReader(std::string prompt) : state_(std::make_unique<State>()) {
  state_->prompt = std::move(prompt);
  state_->editor = el_init("invar", stdin, stdout, stderr);
  state_->history = history_init();
  if (state_->editor == nullptr || state_->history == nullptr) {
    fail(Code::kIo, "terminal: line editing could not be started");
  }
  HistEvent event;
  history(state_->history, &event, H_SETSIZE, kHistoryLines);
  history(state_->history, &event, H_SETUNIQUE, 1);
  el_set(state_->editor, EL_CLIENTDATA, &state_->prompt);
  el_set(state_->editor, EL_PROMPT, &prompt_of);
  el_set(state_->editor, EL_EDITOR, "emacs");
  el_set(state_->editor, EL_HIST, &history, state_->history);
  el_set(state_->editor, EL_BIND, "^[[A", "ed-prev-history", nullptr);
  el_set(state_->editor, EL_BIND, "^[[B", "ed-next-history", nullptr);
  el_set(state_->editor, EL_ADDFN, "invar-paste", "Insert what is pasted", &insert_paste);
  el_set(state_->editor, EL_BIND, kPasteBegin, "invar-paste", nullptr);
  el_source(state_->editor, nullptr);  // the user's ~/.editrc
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
  errno = 0;
  send_to_terminal(kPasteOn);
  const char* text = el_gets(state_->editor, &count);
  const int error = errno;
  send_to_terminal(kPasteOff);
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

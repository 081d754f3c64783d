// The one place that knows libedit.
#include "cli/line_reader.h"

#include <histedit.h>

#include <cerrno>
#include <cstdio>

#include "core/error.h"

namespace invar {
namespace {

constexpr int kHistoryLines = 500;

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
  const char* text = el_gets(state_->editor, &count);
  if (text == nullptr || count <= 0) {
    return count < 0 && errno == EINTR ? Outcome::kInterrupted : Outcome::kEnd;
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

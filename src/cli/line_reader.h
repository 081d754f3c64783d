// Lines from a terminal, with editing and history (libedit). What is pasted stays together: its
// line ends become part of the line, which Enter sends. While a reader lives, the terminal keeps
// what is typed between two lines for the next, Ctrl-D too; Ctrl-C still sends its signal.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace invar {

class LineReader {
 public:
  explicit LineReader(std::string prompt);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  enum class Outcome { kLine, kInterrupted, kEnd };
  // A line without its end, Ctrl-C, or the end of input (Ctrl-D). Lines enter the history.
  Outcome read(std::string& line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace invar

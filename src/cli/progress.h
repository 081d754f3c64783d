// A progress bar on standard error, for work that takes longer than a blink. Silent when standard
// error is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace invar {

class ProgressBar {
 public:
  // `title` stands before the bar, for example "loading SmolLM2".
  explicit ProgressBar(std::string title);
  ~ProgressBar();  // erases the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(int64_t done, int64_t total);

 private:
  std::string title_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace invar

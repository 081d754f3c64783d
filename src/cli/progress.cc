// See progress.h.
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/standard_error.h"
#include "formats/printable.h"

namespace invar {
namespace {

constexpr int kBarColumns = 30;
constexpr auto kQuietTime = std::chrono::milliseconds(300);  // shorter work shows nothing
constexpr auto kRedrawTime = std::chrono::milliseconds(50);

}  // namespace

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  if (drawn_) {
    print_standard_error("\r\033[K");
  }
}

void ProgressBar::update(int64_t done, int64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || total <= 0 || now - start_ < kQuietTime || now - last_ < kRedrawTime) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const auto filled = static_cast<int>(done * kBarColumns / total);
  print_standard_error(fmt::format("\r{} [{:=<{}}{:<{}}] {:3d} %", printable(title_), "", filled,
                                   "", kBarColumns - filled, done * 100 / total));
}

}  // namespace invar

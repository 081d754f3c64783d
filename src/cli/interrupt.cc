// See interrupt.h. A signal handler can reach nothing but a flag of static storage.
#include "cli/interrupt.h"

#include <csignal>

namespace invar {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int /*signal*/) {
  interrupted = 1;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: a read at the prompt returns
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  set_handler(&on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  set_handler(SIG_DFL);
}

bool InterruptGuard::take() {
  const bool was = interrupted != 0;
  interrupted = 0;
  return was;
}

}  // namespace invar

// Ctrl-C as a flag: it stops the answer that is being written, not the program.
#pragma once

namespace invar {

// While it lives, SIGINT sets a flag instead of ending the process (and interrupts system calls, so
// a read at the prompt returns). One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Whether SIGINT came since the last call.
  bool take();
};

}  // namespace invar

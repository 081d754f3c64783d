// Test support: work that was stopped before it begins, and has to notice.
#pragma once

#include "core/stop_check.h"
#include "formats/expect_error.h"

namespace invar::test {

inline std::stop_token stopped_token() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

template <class Action>
void expect_stopped(Action action) {
  expect_error(action, Code::kExhausted, "stopped: nobody waits for the result");
}

}  // namespace invar::test

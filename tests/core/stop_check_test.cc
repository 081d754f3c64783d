// Work that is stopped ends by an error, at a look.
#include "core/stop_check.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

TEST(StopCheck, WorkThatNobodyCanStopGoesOn) {
  StopCheck never;
  for (int i = 0; i < 100'000; ++i) {
    never.step();
  }
  never.look();
}

TEST(StopCheck, StopsAtALookAndAfterSomeSteps) {
  std::stop_source source;
  StopCheck stop(source.get_token());
  for (int i = 0; i < 100'000; ++i) {
    stop.step();
  }
  source.request_stop();
  expect_error([&] { stop.look(); }, Code::kExhausted, "stopped: nobody waits for the result");
  expect_error(
      [&] {
        for (int i = 0; i < 1024; ++i) {
          stop.step();
        }
      },
      Code::kExhausted, "stopped: nobody waits for the result");
}

}  // namespace
}  // namespace invar

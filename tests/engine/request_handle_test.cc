// The client's end of a request, without an engine behind it.
#include "engine/request_handle.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

using std::chrono::milliseconds;

class RequestHandleTest : public testing::Test {
 protected:
  RequestHandle make_handle() { return {state_, wake_}; }
  // Whether the engine was notified since the last call.
  bool woken() {
    const auto begin = std::chrono::steady_clock::now();
    wake_->wait_for(milliseconds(50));
    return std::chrono::steady_clock::now() - begin < milliseconds(50);
  }

  std::shared_ptr<RequestState> state_ =
      std::make_shared<RequestState>(Request{}, RequestPlan{}, size_t{2});
  std::shared_ptr<WakeSignal> wake_ = std::make_shared<WakeSignal>();
};

TEST_F(RequestHandleTest, GivesEventsAndThenTheEnd) {
  RequestHandle handle = make_handle();
  EXPECT_FALSE(handle.try_next().has_value());
  EXPECT_FALSE(handle.next(milliseconds(1)).has_value());
  EXPECT_FALSE(handle.ended());
  ASSERT_TRUE(state_->events.try_push({.token_id = 7}));
  state_->end.message = "so it was";
  state_->events.close();
  EXPECT_FALSE(handle.ended());
  EXPECT_EQ(handle.next(milliseconds(1000)).value().token_id, 7);
  EXPECT_TRUE(handle.ended());
  EXPECT_FALSE(handle.next(milliseconds(1000)).has_value());
  EXPECT_EQ(handle.end().message, "so it was");
}

TEST_F(RequestHandleTest, WakesTheEngineOnlyIfItWaits) {
  RequestHandle handle = make_handle();
  ASSERT_TRUE(state_->events.try_push({}));
  ASSERT_TRUE(state_->events.try_push({}));
  ASSERT_TRUE(handle.try_next().has_value());
  EXPECT_FALSE(woken());
  ASSERT_TRUE(state_->events.try_push({}));
  EXPECT_FALSE(state_->has_room(1));
  ASSERT_TRUE(handle.try_next().has_value());
  EXPECT_TRUE(woken());
  EXPECT_TRUE(state_->has_room(1));
  ASSERT_TRUE(handle.try_next().has_value());
  EXPECT_FALSE(woken());
}

TEST_F(RequestHandleTest, CancelsWhenTold) {
  RequestHandle handle = make_handle();
  handle.cancel();
  EXPECT_TRUE(state_->cancel_requested.load());
  EXPECT_TRUE(woken());
}

TEST_F(RequestHandleTest, CancelsWhenDestroyedAndNotWhenMoved) {
  {
    RequestHandle handle = make_handle();
    {
      RequestHandle moved = std::move(handle);
      EXPECT_FALSE(state_->cancel_requested.load());
      handle = std::move(moved);
    }
    EXPECT_FALSE(state_->cancel_requested.load());
  }
  EXPECT_TRUE(state_->cancel_requested.load());
}

}  // namespace
}  // namespace invar

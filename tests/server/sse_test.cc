// The framing of server-sent events.
#include "server/sse.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(Sse, FramesAnEvent) {
  EXPECT_EQ(sse_event("{\"a\":1}"), "data: {\"a\":1}\n\n");
  EXPECT_EQ(sse_event(""), "data: \n\n");
}

TEST(Sse, EachLineIsDataOfTheSameEvent) {
  EXPECT_EQ(sse_event("one\ntwo\n"), "data: one\ndata: two\ndata: \n\n");
}

TEST(Sse, DoneIsAnEvent) {
  EXPECT_EQ(kDoneEvent, sse_event("[DONE]"));
}

}  // namespace
}  // namespace invar

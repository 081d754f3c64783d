// Edits of texts.
#include "text/jinja/text_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/jinja/render.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

TEST(TextEdit, Strips) {
  Runtime runtime({});
  const Value set = runtime.text("é-");
  EXPECT_EQ(strip_text(runtime, "-é-aé-", set, StripSides::kBoth), "a");
  EXPECT_EQ(strip_text(runtime, "-é-aé-", set, StripSides::kLeft), "aé-");
  EXPECT_EQ(strip_text(runtime, "-é-aé-", set, StripSides::kRight), "-é-a");
  EXPECT_EQ(strip_text(runtime, " \u3000", Value::none(), StripSides::kBoth), "");
  EXPECT_NE(error_of([&] { strip_text(runtime, "a", Value::of(true), StripSides::kBoth); }),
            "no error");
}

TEST(TextEdit, Pads) {
  Runtime runtime({});
  EXPECT_EQ(pad_text(runtime, "é", {.width = 3, .side = PadSide::kBoth, .fill = "漢"}).text(),
            "漢é漢");
  EXPECT_EQ(pad_text(runtime, "ab", {.width = 1, .side = PadSide::kLeft}).text(), "ab");
}

TEST(TextEdit, Replaces) {
  Runtime runtime({});
  const auto replace = [&](std::string_view text, const Replacement& replacement) {
    return replace_text(runtime, text, replacement).text();
  };
  EXPECT_EQ(replace("aaaa", {.old_text = "aa", .new_text = "b"}), "bb");
  EXPECT_EQ(replace("aaaa", {.old_text = "a", .new_text = "", .count = 3}), "a");
  EXPECT_EQ(replace("éa", {.old_text = "", .new_text = "-"}), "-é-a-");
  EXPECT_EQ(replace("", {.old_text = "", .new_text = "-"}), "-");
  EXPECT_EQ(replace("ab", {.old_text = "", .new_text = "-", .count = 0}), "ab");
}

TEST(TextEdit, SplitsLines) {
  Runtime runtime({});
  EXPECT_THAT(split_lines(runtime, "a\r\nb\rc\v\f\u2028\u0085d"),
              testing::ElementsAre("a", "b", "c", "", "", "", "d"));
  EXPECT_THAT(split_lines(runtime, "a\n\nb\n", true), testing::ElementsAre("a\n", "\n", "b\n"));
  EXPECT_THAT(split_lines(runtime, ""), testing::IsEmpty());
}

}  // namespace
}  // namespace invar::jinja

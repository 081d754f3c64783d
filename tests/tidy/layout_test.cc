// The layout checks on snippets.
#include "tidy/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidy/snippets.h"

namespace invar::tidy {
namespace {

using testing::HasSubstr;

using Check = Findings (*)(const Source&);

std::string run(Check check, const char* path, const std::string& text) {
  return render(check(parse_source(path, text)));
}

TEST(TidyLayout, AFileSaysWhatItIsFor) {
  EXPECT_EQ(run(check_purpose, "src/a.cc", "// What this is for.\n"), "");
  EXPECT_EQ(run(check_purpose, "tools/a.sh", "#!/bin/sh\n# What this is for.\n"), "");
  EXPECT_EQ(run(check_purpose, "src/x/a.cc", "// See a.h.\n"), "");
  EXPECT_THAT(run(check_purpose, "src/x/a.cc", "// See b.h.\n"), HasSubstr("begin with"));
  EXPECT_EQ(run(check_purpose, "docs/a.md", "text\n"), "");
  EXPECT_THAT(run(check_purpose, "src/a.cc", "#include <vector>\n"), HasSubstr("a.cc:1: begin"));
  EXPECT_THAT(run(check_purpose, "src/a.cc", "// a.cc\n"), HasSubstr("begin with a comment"));
  EXPECT_THAT(run(check_purpose, "tools/a.sh", "#!/bin/sh\nset -e\n"), HasSubstr("a.sh:2: begin"));
  EXPECT_THAT(run(check_purpose, "src/a.cc", ""), HasSubstr("begin with a comment"));
}

TEST(TidyLayout, WidthCountsCharacters) {
  EXPECT_EQ(run(check_width, "src/a.cc", "// " + repeat("x", 97) + "\n"), "");
  EXPECT_EQ(run(check_width, "src/a.cc", "// " + repeat("\xc3\xa9", 97) + "\n"), "");
  EXPECT_EQ(run(check_width, "src/a.cc", "// https://" + repeat("x", 97) + "\n"), "");
  EXPECT_THAT(run(check_width, "src/a.cc", "\n// " + repeat("x", 98) + "\n"),
              HasSubstr("src/a.cc:2: 101 characters wide"));
}

TEST(TidyLayout, WhiteSpaceIsPlain) {
  EXPECT_EQ(run(check_white_space, "src/a.cc", "int a;\n"), "");
  EXPECT_EQ(run(check_white_space, "Makefile", "a:\n\techo\n"), "");
  EXPECT_THAT(run(check_white_space, "src/a.cc", "\tint a;\n"), HasSubstr("a tab"));
  EXPECT_THAT(run(check_white_space, "docs/a.md", "text \n"), HasSubstr("at the end of the line"));
  EXPECT_THAT(run(check_white_space, "src/a.cc", "int a;\r\n"), HasSubstr("at the end of the li"));
  EXPECT_THAT(run(check_white_space, "src/a.cc", "int a;"), HasSubstr("no newline"));
  EXPECT_THAT(run(check_white_space, "src/a.cc", "int a;\n\n"), HasSubstr("an empty line"));
}

TEST(TidyLayout, AHeaderIsGuarded) {
  EXPECT_EQ(run(check_guard, "src/a.h", "// a\n#pragma once\n"), "");
  EXPECT_EQ(run(check_guard, "src/a.cc", ""), "");
  EXPECT_THAT(run(check_guard, "src/a.h", "// #pragma once\n"), HasSubstr("#pragma once"));
}

}  // namespace
}  // namespace invar::tidy

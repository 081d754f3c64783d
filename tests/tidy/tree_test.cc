// The checks of the whole tree, on small made-up trees.
#include "tidy/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::tidy {
namespace {

using testing::HasSubstr;

TEST(TidyPartners, EachFileHasATestOrAReason) {
  const std::vector<Source> sources = {parse_source("src/core/a.cc", ""),
                                       parse_source("src/core/b.cc", ""),
                                       parse_source("tests/core/a_test.cc", "")};
  EXPECT_THAT(render(check_partners(sources, "list", "")),
              HasSubstr("src/core/b.cc:0: no test partner tests/core/b_test.cc"));
  EXPECT_EQ(
      render(check_partners(sources, "list", "src/core/b.cc tests/core/a_test.cc calls it\n")), "");
  EXPECT_EQ(render(check_partners(sources, "list", "src/core/ - only constants here\n")), "");
}

TEST(TidyPartners, TheListFollowsTheCode) {
  const std::vector<Source> sources = {parse_source("src/core/a.cc", ""),
                                       parse_source("tests/core/a_test.cc", "")};
  EXPECT_THAT(render(check_partners(sources, "list", "src/core/a.cc - has no test\n")),
              HasSubstr("list:1: src/core/a.cc is not needed"));
  EXPECT_THAT(render(check_partners(sources, "list", "src/core/a.cc\n")), HasSubstr("expected"));
  EXPECT_THAT(
      render(check_partners(sources, "list", "src/core/b.cc tests/core/c_test.cc calls it\n")),
      HasSubstr("list:1: there is no test 'tests/core/c_test.cc'"));
}

TEST(TidyBlobs, FindsLargeFiles) {
  EXPECT_THAT(render(check_blobs({{"docs/a.png", 256 * 1024 + 1}})), HasSubstr("262145 bytes"));
  EXPECT_EQ(render(check_blobs({{"docs/a.png", 256 * 1024}, {"tests/golden/m/a", 1 << 20}})), "");
}

TEST(TidyDocuments, LinksAndPathsLeadSomewhere) {
  Tree tree;
  tree.root = INVAR_SOURCE_DIR;
  tree.sources.push_back(parse_source(
      "README.md",
      "[a](Makefile) [b](https://x.example/y) [c](docs/nowhere.md#top)\n"
      "`src/MODULES` `src/nowhere/a.cc` `src/core/error.h` `src/x/FILE.cc` `src/*`\n"));
  tree.sources.push_back(parse_source("docs/a.md", "[up](../Makefile) [no](Makefile)\n"));
  EXPECT_EQ(render(check_documents(tree)),
            "README.md:1: link to missing 'docs/nowhere.md'\n"
            "README.md:2: names missing 'src/nowhere/a.cc'\n"
            "docs/a.md:1: link to missing 'Makefile'\n");
}

TEST(TidyPresets, EachPresetCanBeBuilt) {
  const char* good = R"({"configurePresets": [{"name": "a", "displayName": "x"}],
                         "buildPresets": [{"name": "a", "configurePreset": "a"}]})";
  EXPECT_EQ(render(check_presets("p", good)), "");
  const char* bad = R"({"configurePresets": [{"name": "a"}, {"name": "h", "hidden": true}],
                        "buildPresets": [{"name": "b", "configurePreset": "a"}]})";
  const std::string text = render(check_presets("p", bad));
  EXPECT_THAT(text, HasSubstr("preset 'a' has no build preset"));
  EXPECT_THAT(text, HasSubstr("preset 'a' has no displayName"));
  EXPECT_THAT(text, HasSubstr("preset 'h' builds elsewhere"));
  EXPECT_THAT(text, HasSubstr("its configure preset's name"));
  EXPECT_THAT(render(check_presets("p", "{")), HasSubstr("expected"));
}

}  // namespace
}  // namespace invar::tidy

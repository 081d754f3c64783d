// The module checks on snippets: each kind of breach is found, and what is allowed is not.
#include "tidy/modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::tidy {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTable =
    "# name level: edges\ncore 0:\nformats 1: core\ncache 3: core\ncli 8: core formats\n";

ModuleTable table() {
  Findings findings;
  ModuleTable parsed = ModuleTable::parse("MODULES", kTable, findings);
  EXPECT_EQ(render(findings), "");
  return parsed;
}

std::string includes(const char* path, const char* text) {
  return render(check_includes({parse_source(path, text)}, table()));
}

TEST(TidyModules, TheTableItselfIsChecked) {
  Findings findings;
  ModuleTable::parse("MODULES", "core 0: cache\ncache 1: nowhere\nodd\ncore 2:\n", findings);
  const std::string text = render(findings);
  EXPECT_THAT(text, HasSubstr("MODULES:1: edge core -> cache does not go down"));
  EXPECT_THAT(text, HasSubstr("MODULES:2: unknown module 'nowhere'"));
  EXPECT_THAT(text, HasSubstr("MODULES:3: expected"));
  EXPECT_THAT(text, HasSubstr("MODULES:4: expected"));
}

TEST(TidyModules, AnIncludeFollowsAnEdge) {
  EXPECT_EQ(includes("src/cache/a.cc", "#include \"core/error.h\"\n#include \"cache/a.h\"\n"), "");
  EXPECT_THAT(includes("src/cache/a.cc", "\n#include \"formats/gguf.h\"\n"),
              HasSubstr("src/cache/a.cc:2: 'cache' may not include 'formats'"));
  EXPECT_THAT(includes("src/core/a.h", "#include \"cache/tree.h\"\n"),
              HasSubstr("'core' may not include 'cache'"));
}

TEST(TidyModules, AnIncludeIsWrittenFromSrc) {
  EXPECT_THAT(includes("src/cache/a.cc", "#include \"a.h\"\n"), HasSubstr("from src/"));
  EXPECT_THAT(includes("src/cache/a.cc", "#include \"../core/error.h\"\n"), HasSubstr("from src/"));
  EXPECT_THAT(includes("src/cache/a.cc", "#include <core/error.h>\n"), HasSubstr("write \"core/"));
  EXPECT_EQ(includes("src/cache/a.cc", "#include <vector>\n#include <fmt/format.h>\n"), "");
}

TEST(TidyModules, AFolderOutsideTheTableIsFound) {
  EXPECT_THAT(includes("src/extras/a.cc", "#include \"core/error.h\"\n"),
              HasSubstr("module 'extras' is not in src/MODULES"));
}

TEST(TidyModules, FindsACycleOfHeaders) {
  const Source a = parse_source("src/core/a.h", "#include \"core/b.h\"\n");
  const Source b = parse_source("src/core/b.h", "#include \"core/c.h\"\n");
  const Source c = parse_source("src/core/c.h", "#include \"core/a.h\"\n");
  EXPECT_THAT(render(check_include_cycles({a, b, c})),
              HasSubstr("src/core/a.h -> src/core/b.h -> src/core/c.h -> src/core/a.h"));
  EXPECT_EQ(render(check_include_cycles({a, b})), "");
}

TEST(TidyModules, FindsAHeaderThatOnlyItsOwnFileIncludes) {
  const Source header = parse_source("src/core/a.h", "");
  const Source own = parse_source("src/core/a.cc", "#include \"core/a.h\"\n");
  const Source other = parse_source("src/core/b.cc", "#include \"core/a.h\"\n");
  EXPECT_THAT(render(check_dead_headers({header, own})), HasSubstr("src/core/a.h:0: no file"));
  EXPECT_EQ(render(check_dead_headers({header, own, other})), "");
}

TEST(TidyModules, CMakeRepeatsTheEdges) {
  const std::string good =
      "# modules\n"
      "invar_module(core LIBS fmt::fmt)\n"
      "invar_module(formats DEPS core LIBS simdjson)\n"
      "invar_module(cache DEPS\n             core)\n";
  EXPECT_EQ(render(check_cmake_edges("cm", good, table())), "");
  EXPECT_THAT(render(check_cmake_edges("cm", good + "invar_module(other)\n", table())),
              HasSubstr("cm:6: module 'other' is not in src/MODULES"));
  EXPECT_THAT(render(check_cmake_edges("cm", "\ninvar_module(cache DEPS core formats)\n", table())),
              HasSubstr("cm:2: DEPS of 'cache' are [core formats], src/MODULES says [core]"));
  EXPECT_THAT(render(check_cmake_edges("cm", "\n", table())), HasSubstr("no invar_module(formats"));
}

}  // namespace
}  // namespace invar::tidy

// The word checks on snippets: each rule finds its breach, and its near misses pass.
#include "tidy/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::tidy {
namespace {

using testing::HasSubstr;

using Check = Findings (*)(const Source&, AllowList&);

std::string run(Check check, const char* path, const std::string& text) {
  AllowList none;
  return render(check(parse_source(path, text), none));
}
std::string words(const std::string& text, const char* path = "src/cache/a.cc") {
  return run(check_words, path, text);
}
std::string names(const std::string& text, const char* path = "src/cache/a.cc") {
  return run(check_names, path, text);
}

TEST(TidyWords, FindsEachBannedWord) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"printf(\"x\");", "[print] printf: use fmt::format"},
      {"std::snprintf(a, b);", "[print] snprintf"},
      {"fmt::print(\"x\");", "[print] fmt::print: only cli/"},
      {"std::cout << 1;", "[stream] cout"},
      {"auto* p = new int;", "[allocate] new: use a container"},
      {"delete p;", "[allocate] delete"},
      {"void* p = std::malloc(3);", "[allocate] malloc"},
      {"getenv(\"HOME\");", "[environment] getenv"},
      {"std::abort();", "[exit] abort"},
      {"} catch (const Error&) {", "[catch] catch"},
      {"throw Error(1);", "[throw] throw: use fail"},
      {"std::mt19937 r;", "[random] mt19937"},
      {"int x = std::stoi(s);", "[parse] stoi: use std::from_chars"},
      {"std::regex r(s);", "[regex] regex"},
      {"thread_local int x;", "[global] thread_local"},
      {"std::mutex m;", "[lock] mutex"},
      {"#ifdef X\n#endif", "[condition] #ifdef"},
      {"#if X\n#else\n#endif", "[condition] #else"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(words(text), HasSubstr(expected)) << text;
  }
}

TEST(TidyWords, PassesOverNearMisses) {
  EXPECT_EQ(words("f(const A&) = delete; // new\n"
                  "pool.abort(); queue->exit(); invar::math::exit(1);\n"
                  "auto s = \"printf(\";  int newer = 1;\n"
                  "#include <mutex>\n#include <new>\n#pragma once\n#define X 1\n"),
            "");
  EXPECT_EQ(words("std::mutex m;", "src/engine/a.cc"), "");
  EXPECT_EQ(words("throw 1;", "tests/core/a_test.cc"), "");
}

TEST(TidyWords, TheListAllowsAndIsKeptShort) {
  Findings findings;
  AllowList allowed = AllowList::parse(
      "allowed", "catch src/cli/main.cc prints the error\nprint src/cli/ commands answer here\n",
      findings);
  const Source main = parse_source("src/cli/main.cc", "try { f(); } catch (...) { throw; }\n");
  EXPECT_THAT(render(check_words(main, allowed)), testing::Not(HasSubstr("[catch]")));
  EXPECT_THAT(render(allowed.unused()), HasSubstr("allowed:2: 'print src/cli/' is not needed"));
  AllowList::parse("allowed", "catch src/cli/main.cc\n", findings);
  EXPECT_THAT(render(findings), HasSubstr("allowed:1: expected 'RULE PATH reason"));
}

TEST(TidyWords, FindsForms) {
  EXPECT_THAT(run(check_forms, "src/a.h", "void f(const int& x);"), HasSubstr("pass it by value"));
  EXPECT_THAT(run(check_forms, "src/a.h", "void f(const std::size_t& x);"), HasSubstr("size_t&"));
  EXPECT_THAT(run(check_forms, "tests/a.cc", "using namespace std;"), HasSubstr("qualify"));
  EXPECT_EQ(run(check_forms, "src/a.h", "void f(int& x, const Foo& y); using std::string;"), "");
  EXPECT_EQ(run(check_forms, "src/a.h", "using reference = const char&;"), "");
}

TEST(TidyNames, FindsBlockAndSlotAlone) {
  for (const char* name : {"block", "slot", "blocks", "Block", "kSlot", "slot_", "num_blocks",
                           "block_index", "max_slots_per_block"}) {
    EXPECT_THAT(names(std::string("int ") + name + ";"), HasSubstr("[alone]")) << name;
  }
  for (const char* name : {"kv_block", "kKvBlock", "block_table", "lora_slot", "blockade"}) {
    EXPECT_EQ(names(std::string("int ") + name + "; // block"), "") << name;
  }
}

TEST(TidyNames, FindsTellingWordsThatTellNothing) {
  EXPECT_THAT(names("int sum_fast(int x) {}"), HasSubstr("'fast' says nothing"));
  EXPECT_THAT(names("class CacheManager {};"), HasSubstr("'manager' says nothing"));
  EXPECT_THAT(names("", "src/core/string_utils.h"), HasSubstr("one subject"));
  EXPECT_THAT(names("", "tools/common.sh"), HasSubstr("one subject"));
  EXPECT_EQ(names("int common_prefix(int x) {} int breakfast() {}"), "");
}

TEST(TidyText, OpenWorkNeedsAnIssue) {
  const std::string word =
      "TO"
      "DO";
  EXPECT_THAT(run(check_text, "src/a.cc", "// " + word + ": later"), HasSubstr("[open_work]"));
  EXPECT_THAT(run(check_text, "docs/a.md",
                  "FIX"
                  "ME soon"),
              HasSubstr("[open_work]"));
  EXPECT_EQ(run(check_text, "src/a.cc", "// " + word + "(#12): later"), "");
  EXPECT_EQ(run(check_text, "src/a.cc", "// Ma" + word + "ne"), "");
}

TEST(TidyText, OtherProjectsAreNotNamed) {
  EXPECT_THAT(run(check_text, "docs/a.md",
                  "as in v"
                  "LLM"),
              HasSubstr("[mention]"));
  EXPECT_THAT(run(check_text, "src/a.cc",
                  "// see /work"
                  "/shared"),
              HasSubstr("[mention]"));
}

}  // namespace
}  // namespace invar::tidy

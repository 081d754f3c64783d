// The budget check on snippets: which functions it sees, what it reports, how exceptions shrink.
#include "tidy/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidy/snippets.h"

namespace invar::tidy {
namespace {

using testing::HasSubstr;

std::string functions_of(std::string text) {
  std::string names;
  for (const Function& function : find_functions(parse_source("src/a.cc", std::move(text)))) {
    names += function.name + ":" + std::to_string(function.lines()) + " ";
  }
  return names;
}

TEST(TidyFunctions, SeesFreeFunctionsAndMethods) {
  EXPECT_EQ(functions_of("namespace a {\n"
                         "int f(int x) {\n  return x;\n}\n"
                         "class C : public D {\n public:\n"
                         "  explicit C(int x) : x_{x}, y_(x) { go(); }\n"
                         "  ~C() {}\n"
                         "  int g() const override\n  { return 1; }\n"
                         "  bool operator==(const C& o) const { return true; }\n"
                         "  int x_ = 0;\n};\n}\n"),
            "f:3 C:1 C:1 g:2 operator==:1 ");
}

TEST(TidyFunctions, SeesTemplatesAttributesAndTests) {
  EXPECT_EQ(functions_of("template <class T, int N = 3>\n"
                         "[[nodiscard]] inline auto f(T x) -> std::vector<T> {\n}\n"
                         "TEST(Suite, Name) {\n}\n"
                         "alignas(64) static int h(Options o = {}) {\n}\n"
                         "const auto kLambda = [](int x) {\n  return x;\n};\n"),
            "f:3 Suite.Name:2 h:2 kLambda:3 ");
}

TEST(TidyFunctions, PassesOverValuesAndDirectives) {
  EXPECT_EQ(functions_of("#define X(a) { f(a)\n"
                         "constexpr int kTable[] = {1,\n2};\n"
                         "std::atomic<int> count{0};\n"
                         "enum class E : int { kA, kB };\n"
                         "concept Small = requires(T t) { t.x(); };\n"
                         "struct P {\n  int a = f(1);\n  std::vector<int> b{1, 2};\n};\n"),
            "");
}

TEST(TidySizes, FindsALongFileAndALongFunction) {
  const Source source = parse_source(
      "src/core/a.cc", "int f() {\n" + repeat("  g();\n", 69) + "}\n" + repeat("int x;\n", 430));
  const Findings findings = check_sizes({source}, "list", {});
  EXPECT_THAT(render(findings), HasSubstr("the file has 501 lines, the budget is 500"));
  EXPECT_THAT(render(findings), HasSubstr("function 'f' has 71 lines, the budget is 70"));
}

TEST(TidySizes, KernelsMayBeLonger) {
  const std::string text =
      "int f() {\n" + repeat("  g();\n", 198) + "}\n" + repeat("int x;\n", 700);
  EXPECT_TRUE(check_sizes({parse_source("src/kernels/cpu/a.cc", text)}, "list", {}).empty());
  EXPECT_EQ(check_sizes({parse_source("src/cache/a.cc", text)}, "list", {}).size(), 2u);
}

TEST(TidySizes, AnExceptionMayOnlyShrink) {
  const Source source =
      parse_source("src/core/a.cc", "int f() {\n" + repeat("  g();\n", 78) + "}\n");
  const auto with_limit = [&](int limit) {
    return render(check_sizes({source}, "list", {{"src/core/a.cc", "f", limit, 3}}));
  };
  EXPECT_EQ(with_limit(80), "");
  EXPECT_THAT(with_limit(79), HasSubstr("has 80 lines, its exception allows 79"));
  EXPECT_THAT(with_limit(81), HasSubstr("list:3: src/core/a.cc f has 80 lines now: lower"));
}

TEST(TidySizes, AnExceptionThatIsNotNeededIsFound) {
  const Source source = parse_source("src/core/a.cc", "int f() {\n}\n");
  EXPECT_THAT(render(check_sizes({source}, "list", {{"src/core/a.cc", "f", 80, 1}})),
              HasSubstr("within its budget now"));
  EXPECT_THAT(render(check_sizes({source}, "list", {{"src/core/b.cc", "", 800, 1}})),
              HasSubstr("does not exist"));
}

TEST(TidySizes, ReadsItsList) {
  Findings findings;
  const auto list = parse_exceptions(
      "list", "# why\nfile src/a.cc 501\nfunction src/a.cc f 71\nfile src/b.cc\n", findings);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].lines, 501);
  EXPECT_EQ(list[1].function, "f");
  EXPECT_THAT(render(findings), HasSubstr("list:4: expected"));
}

}  // namespace
}  // namespace invar::tidy

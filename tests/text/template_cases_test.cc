// The recorded results of the reference: the shared ones if they are there, and the form of the
// file.
#include "text/template_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"

namespace invar {
namespace {

TEST(TemplateCases, RendersAllSharedTemplatesAsTheReferenceDoes) {
  const std::filesystem::path shared = std::string(INVAR_SOURCE_DIR) + "/../shared/text";
  if (!std::filesystem::exists(shared / "templates.json")) {
    GTEST_SKIP() << "no " << shared;
  }
  std::vector<std::string> failures;
  const TemplateCaseCounts counts =
      check_template_cases(shared / "templates.json", shared / "templates",
                           [&](const std::string& line) { failures.push_back(line); });
  EXPECT_THAT(failures, testing::IsEmpty());
  EXPECT_EQ(counts.failed, 0);
  EXPECT_GT(counts.passed, 0);
}

// A folder with one template and one file of cases.
class CaseFolder {
 public:
  explicit CaseFolder(const std::string& cases)
      : path_(std::filesystem::path(testing::TempDir()) / "template_cases_test") {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / "a.jinja") << "{{ bos_token }}{{ messages[0].content + '!' }}"
                                        "{{ strftime_now('%Y') }}{{ x }}";
    std::ofstream(path_ / "cases.json") << cases;
  }
  ~CaseFolder() { std::filesystem::remove_all(path_); }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  TemplateCaseCounts check() {
    return check_template_cases(path_ / "cases.json", path_,
                                [this](const std::string& line) { lines.push_back(line); });
  }
  std::vector<std::string> lines;

 private:
  std::filesystem::path path_;
};

constexpr std::string_view kHead =
    R"({"now": "2026-03-04T05:06:07", "special": {"bos_token": "<s>"},
  "conversations": {"hi": {"messages": [{"role": "user", "content": "Hi"}], "x": 1},
                    "parts": {"messages": [{"role": "user", "content": []}], "tools": []}},
  "renders": )";

TEST(TemplateCases, CountsAndReports) {
  CaseFolder folder(std::string(kHead) + R"({"a.jinja": {
      "hi": {"text": "<s>Hi!20261"}, "parts": {"error": "TypeError"}},
    "absent.jinja": {"hi": {"text": ""}, "parts": {"error": "x"}}}})");
  const TemplateCaseCounts counts = folder.check();
  EXPECT_EQ(counts.passed, 3);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_THAT(folder.lines, testing::ElementsAre(testing::AllOf(
                                testing::StartsWith("absent.jinja hi: expected a text, found the "
                                                    "error "),
                                testing::HasSubstr("cannot open"))));
}

TEST(TemplateCases, ShowsWhereTextsDiffer) {
  CaseFolder folder(std::string(kHead) + R"({"a.jinja": {
      "hi": {"text": "<s>Hi?"}, "parts": {"text": "[]"}}, "b.jinja": {}}})");
  EXPECT_EQ(folder.check().failed, 2);
  EXPECT_EQ(folder.lines.at(0), R"(a.jinja hi: byte 5: expected "<s>Hi?", found "<s>Hi!20261")");
  CaseFolder raised(std::string(kHead) + R"({"a.jinja": {"hi": {"error": "x"}}}})");
  EXPECT_EQ(raised.check().failed, 1);
  EXPECT_EQ(raised.lines.at(0), "a.jinja hi: expected an error, found a text");
}

TEST(TemplateCases, RefusesFilesOfAnotherForm) {
  for (const std::string& bad :
       {std::string("[]"), std::string("{}"), std::string(R"({"now": "x"})"),
        std::string(R"({"now": "2026-03-04", "special": {"a": 1}})"),
        std::string(R"({"now": "2026-03-04", "special": {}, "conversations": []})"),
        std::string(kHead) + R"({"a.jinja": {"hi": "x"}}})",
        std::string(kHead) + R"({"a.jinja": {"hi": {"text": 1}}}})",
        std::string(kHead) + R"({"a.jinja": {"absent": {"text": ""}}}})"}) {
    CaseFolder folder(bad);
    EXPECT_THROW((void)folder.check(), Error) << bad;
  }
}

}  // namespace
}  // namespace invar

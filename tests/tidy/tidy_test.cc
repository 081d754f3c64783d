// The tidy checks over the project's own tree. Each failure lists "path:line: what to do".
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tidy/layout.h"
#include "tidy/modules.h"
#include "tidy/numerics.h"
#include "tidy/sizes.h"
#include "tidy/tree.h"
#include "tidy/words.h"

namespace invar::tidy {
namespace {

const std::string kRoot = INVAR_SOURCE_DIR;

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string read_from_root(const std::string& path) {
  return read_text(kRoot + "/" + path);
}

void expect_none(const Findings& findings) {
  EXPECT_TRUE(findings.empty()) << findings.size() << " findings:\n" << render(findings);
}

// Reads the tree once for all tests.
class TidyTree : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::filesystem::exists(kRoot + "/.git")) {
      tree_ = new Tree(read_tree(kRoot));
    }
  }
  static void TearDownTestSuite() {
    delete tree_;
    tree_ = nullptr;
  }

  void SetUp() override {
    if (tree_ == nullptr) {
      GTEST_SKIP() << kRoot << " is no clone: git must list the project's files";
    }
  }

  template <class Check>
  void expect_clean(Check check) {
    Findings all;
    for (const Source& source : tree_->sources) {
      const Findings found = check(source);
      all.insert(all.end(), found.begin(), found.end());
    }
    expect_none(all);
  }

  static Tree* tree_;
};
Tree* TidyTree::tree_ = nullptr;

TEST_F(TidyTree, IsRead) {
  EXPECT_GT(tree_->sources.size(), 50u);
  EXPECT_NE(tree_->find("src/core/error.h"), nullptr);
}

TEST_F(TidyTree, ModulesAndIncludes) {
  Findings findings;
  const std::string path = "src/MODULES";
  const ModuleTable table = ModuleTable::parse(path, read_from_root(path), findings);
  expect_none(findings);
  expect_none(check_includes(tree_->sources, table));
  expect_none(check_include_cycles(tree_->sources));
  expect_none(check_dead_headers(tree_->sources));
  const std::string cmake = "src/CMakeLists.txt";
  expect_none(check_cmake_edges(cmake, read_from_root(cmake), table));
}

TEST_F(TidyTree, Sizes) {
  // The list may only shrink: lower this number together with it.
  static constexpr size_t kExceptionsMax = 0;
  const std::string path = "tests/tidy/exceptions.txt";
  Findings findings;
  const auto exceptions = parse_exceptions(path, read_from_root(path), findings);
  expect_none(findings);
  EXPECT_EQ(exceptions.size(), kExceptionsMax);
  expect_none(check_sizes(tree_->sources, path, exceptions));
}

TEST_F(TidyTree, Layout) {
  expect_clean(check_purpose);
  expect_clean(check_width);
  expect_clean(check_white_space);
  expect_clean(check_guard);
}

TEST_F(TidyTree, WordsNamesAndFloats) {
  const std::string path = "tests/tidy/allowed.txt";
  Findings findings;
  AllowList allowed = AllowList::parse(path, read_from_root(path), findings);
  expect_none(findings);
  for (const auto check :
       {check_words, check_forms, check_names, check_text, check_libm_calls, check_float_order}) {
    expect_clean([&](const Source& source) { return check(source, allowed); });
  }
  expect_none(allowed.unused());
}

TEST_F(TidyTree, TestPartners) {
  const std::string path = "tests/tidy/no_partner.txt";
  expect_none(check_partners(tree_->sources, path, read_from_root(path)));
}

TEST_F(TidyTree, BlobsDocumentsPresets) {
  expect_none(check_blobs(tree_->blobs));
  expect_none(check_documents(*tree_));
  expect_none(check_presets("CMakePresets.json", read_from_root("CMakePresets.json")));
}

TEST_F(TidyTree, BuildKeepsFormulas) {
  expect_clean(check_build_flags);
  EXPECT_NE(read_from_root("cmake/options.cmake").find("-ffp-contract=off"), std::string::npos);
  const std::string path = INVAR_BINARY_DIR "/compile_commands.json";
  expect_none(check_compile_commands(path, read_text(path)));
}

// The archives of the modules whose results are part of the law need nothing of libm.
TEST(TidyArchives, NeedNoLibm) {
  std::vector<std::string> archives = split_words(INVAR_LAW_ARCHIVES);
  if (archives.empty()) {
    GTEST_SKIP() << "the kernels and the backend have no compiled code";
  }
  for (const std::string& archive : archives) {
    const std::string command = "nm --undefined-only '" + archive + "' 2>&1";
    std::string listing;
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
      listing += buffer.data();
    }
    ASSERT_EQ(pclose(pipe), 0) << command << "\n" << listing;
    ASSERT_NE(listing.find(".o:"), std::string::npos) << archive << ": " << listing;
    expect_none(check_undefined_symbols(archive, listing));
  }
}

}  // namespace
}  // namespace invar::tidy

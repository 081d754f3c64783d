// The lexer below the tidy checks: comments, literals, tokens, includes, names.
#include "tidy/source.h"

#include <gtest/gtest.h>

namespace invar::tidy {
namespace {

std::string words_of(const Source& source) {
  std::string text;
  for (const Token& token : source.tokens) {
    text += token.kind == Token::Kind::kLiteral ? "''" : token.text;
    text += ' ';
  }
  return text;
}

TEST(TidySource, SeparatesCommentsFromCode) {
  const Source source = parse_source("src/a.cc", "int a;  // one\n/* two\nlines */ int b;\n");
  EXPECT_EQ(source.code, "int a;        \n      \n         int b;\n");
  EXPECT_EQ(source.comments, "        // one\n/* two\nlines */       \n");
  EXPECT_EQ(source.tokens.back().line, 3);
}

TEST(TidySource, LiteralsHideTheirContent) {
  const Source source = parse_source(
      "src/a.cc", "f(\"// no \\\" comment\", '\"', 1'000, R\"x(\nraw \")\" )x\", 0x1p-24f);\n");
  EXPECT_EQ(words_of(source), "f ( '' , '' , 1'000 , '' , 0x1p-24f ) ; ");
  EXPECT_EQ(source.tokens.back().line, 2);
}

TEST(TidySource, FindsIncludesAndDirectives) {
  const Source source = parse_source("src/a.cc",
                                     "#include \"core/error.h\"\n"
                                     "# include <vector>\n"
                                     "#define X(a) \\\n  f(a)\n"
                                     "int b;\n");
  ASSERT_EQ(source.includes.size(), 2u);
  EXPECT_EQ(source.includes[0].path, "core/error.h");
  EXPECT_TRUE(source.includes[0].quoted);
  EXPECT_EQ(source.includes[1].path, "vector");
  EXPECT_FALSE(source.includes[1].quoted);
  for (const Token& token : source.tokens) {
    EXPECT_EQ(token.in_directive, token.line < 5) << token.text;
  }
}

TEST(TidySource, SplitsNamesIntoWords) {
  EXPECT_EQ(name_words("kKvBlock_count2"),
            (std::vector<std::string>{"k", "kv", "block", "count2"}));
  EXPECT_EQ(name_words("HTTPHead"), (std::vector<std::string>{"httphead"}));
  EXPECT_EQ(name_words("slot_"), (std::vector<std::string>{"slot"}));
}

TEST(TidySource, ListsSkipCommentsAndCountLines) {
  const std::vector<ListLine> list = parse_list("# title\n\nfile a.cc 12\n");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].line, 3);
  EXPECT_EQ(list[0].words, (std::vector<std::string>{"file", "a.cc", "12"}));
}

TEST(TidySource, ATreeThatGitDoesNotKnowIsAnError) {
  EXPECT_THROW(read_tree("/nonexistent"), std::runtime_error);
}

}  // namespace
}  // namespace invar::tidy

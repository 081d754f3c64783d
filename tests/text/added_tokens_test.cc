// Finding added tokens in a text, with all their flags.
#include "text/added_tokens.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

AddedToken token(std::string content, int32_t id) {
  AddedToken made;
  made.content = std::move(content);
  made.id = id;
  return made;
}

// "a|<7>|b": sections as text, tokens as ids in brackets.
std::string sections(const AddedTokens& added, std::string_view text,
                     AddedTokens::SplitOptions options = {}) {
  std::vector<TextSection> found;
  StopCheck never;
  added.split(text, options, found, never);
  std::string out;
  for (const TextSection& section : found) {
    out += out.empty() ? "" : "|";
    out += section.token.has_value() ? "<" + std::to_string(*section.token) + ">"
                                     : std::string(section.text);
  }
  return out;
}

TEST(AddedTokens, CutsTheTextAtTokens) {
  const AddedTokens added({token("<s>", 1), token("<s>x", 2)}, {}, "f");
  EXPECT_EQ(sections(added, "a<s>b"), "a|<1>|b");
  EXPECT_EQ(sections(added, "<s><s>x"), "<1>|<2>");
  EXPECT_EQ(sections(added, "<s"), "<s");
  EXPECT_EQ(sections(added, ""), "");
  EXPECT_EQ(sections(AddedTokens(), "a<s>"), "a<s>");
}

TEST(AddedTokens, SpecialTokensCanBeText) {
  AddedToken special = token("<s>", 1);
  special.special = true;
  const AddedTokens added({special, token("<t>", 2)}, {}, "f");
  EXPECT_EQ(sections(added, "<s><t>"), "<1>|<2>");
  EXPECT_EQ(sections(added, "<s><t>", {.normalized = false, .parse_special = false}), "<s>|<2>");
}

TEST(AddedTokens, SingleWordsStandAlone) {
  AddedToken word = token("ab", 1);
  word.single_word = true;
  const AddedTokens added({word}, {}, "f");
  EXPECT_EQ(sections(added, "ab ab, xab abx éab"), "<1>| |<1>|, xab abx éab");
}

TEST(AddedTokens, StripsTakeWhiteSpace) {
  AddedToken left = token("<l>", 1);
  left.lstrip = true;
  AddedToken right = token("<r>", 2);
  right.rstrip = true;
  const AddedTokens added({left, right, token("\n", 3)}, {}, "f");
  EXPECT_EQ(sections(added, "a \u3000<l> b"), "a|<1>| b");
  EXPECT_EQ(sections(added, "a <r> \u3000b"), "a |<2>|b");
  EXPECT_EQ(sections(added, "<r>  <l>"), "<2>|<1>");
  EXPECT_EQ(sections(added, "<r> \n"), "<2>|<3>");
}

TEST(AddedTokens, SwallowedTokensVanish) {
  AddedToken right = token("<r>", 2);
  right.rstrip = true;
  AddedToken line = token("\n", 3);
  line.lstrip = true;
  EXPECT_EQ(sections(AddedTokens({right, line}, {}, "f"), "<r> \nx"), "<2>|x");
}

TEST(AddedTokens, NormalizedTokensMatchNormalizedText) {
  AddedToken loud = token("HEY", 1);
  loud.normalized = true;
  AddedToken gone = token("\u0301", 2);
  gone.normalized = true;
  const AddedTokens added({loud, gone}, {LowercaseStep{}, StripAccentsStep{}}, "f");
  EXPECT_EQ(sections(added, "hey HEY", {.normalized = true, .parse_special = true}), "<1>| HEY");
  EXPECT_EQ(sections(added, "hey HEY"), "hey HEY");
  EXPECT_EQ(added.find(1)->decoded, "hey");
}

TEST(AddedTokens, FindsByIdAndContent) {
  const AddedTokens added({token("<s>", 7)}, {}, "f");
  EXPECT_EQ(added.find(7)->content, "<s>");
  EXPECT_EQ(added.find("<s>")->id, 7);
  EXPECT_EQ(added.find(8), nullptr);
  EXPECT_EQ(added.find("<t>"), nullptr);
}

TEST(AddedTokens, MovedTokensAreStillFound) {
  AddedTokens added({token("s", 7)}, {}, "f");  // short enough to live inside its string
  const AddedTokens moved = std::move(added);
  EXPECT_EQ(moved.find("s")->id, 7);
}

}  // namespace
}  // namespace invar

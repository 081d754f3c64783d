// Each normalizer step; expected texts are the reference library's.
#include "text/normalizer.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

std::string normalized(std::vector<NormalizerStep> steps, std::string text) {
  normalize_text(steps, text);
  return text;
}

TEST(Normalizer, UnicodeForms) {
  const std::string text = "e\u0301 \u00E9 \uFB01 \uAC00 \u212B \U0001D160";
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfc}}, text),
            "\u00E9 \u00E9 \uFB01 \uAC00 \u00C5 \U0001D158\U0001D165\U0001D16E");
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfd}}, text),
            "e\u0301 e\u0301 \uFB01 \u1100\u1161 A\u030A \U0001D158\U0001D165\U0001D16E");
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfkc}}, text),
            "\u00E9 \u00E9 fi \uAC00 \u00C5 \U0001D158\U0001D165\U0001D16E");
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfkd}}, text),
            "e\u0301 e\u0301 fi \u1100\u1161 A\u030A \U0001D158\U0001D165\U0001D16E");
}

TEST(Normalizer, TextsBelowAFormsFirstCharacterAreLeftAlone) {
  const std::string zero("a\0b", 3);
  for (const auto form :
       {UnicodeForm::kNfc, UnicodeForm::kNfd, UnicodeForm::kNfkc, UnicodeForm::kNfkd}) {
    EXPECT_EQ(normalized({ComposeStep{form}}, zero), zero);
  }
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfc}}, zero + "\u0301"), zero + "\u0301");
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfkc}}, "\u00A0\u00BD"), " 1\u20442");
}

TEST(Normalizer, CaseAndAccents) {
  EXPECT_EQ(normalized({LowercaseStep{}}, "A\u0130\u03A3\u1E9E\u00C9"),
            "ai\u0307\u03C3\u00DF\u00E9");
  EXPECT_EQ(normalized({StripAccentsStep{}}, "e\u0301\u0903x"), "ex");
}

TEST(Normalizer, Nmt) {
  EXPECT_EQ(normalized({NmtStep{}}, "a\x01\tb\u200B\uFEFF\x7F\u2581c"),
            "a b  "
            " c");
}

TEST(Normalizer, PrependReplaceStrip) {
  EXPECT_EQ(normalized({PrependStep{"_"}}, "a"), "_a");
  EXPECT_EQ(normalized({PrependStep{"_"}}, ""), "");
  EXPECT_EQ(normalized({ReplaceStep{Regex::literal(" ", "f"), "▁"}}, " a b"), "▁a▁b");
  EXPECT_EQ(normalized({ReplaceStep{Regex::compile(R"(\s+)", "f"), "$0"}}, "a \t b"), "a$0b");
  EXPECT_EQ(normalized({ReplaceStep{Regex::literal("x", "f"), ""}}, "a"), "a");
  EXPECT_EQ(normalized({StripStep{true, true}}, " \u3000a b\n"), "a b");
  EXPECT_EQ(normalized({StripStep{true, false}}, " a "), "a ");
  EXPECT_EQ(normalized({StripStep{false, true}}, " a "), " a");
  EXPECT_EQ(normalized({StripStep{false, true}}, "  "), "");
  EXPECT_EQ(normalized({StripStep{true, false}}, "  "), "");
  EXPECT_EQ(normalized({StripStep{false, false}}, "  "), "  ");
}

TEST(Normalizer, ReplaceDoesNotGrowWithoutBound) {
  const std::vector<NormalizerStep> steps = {
      ReplaceStep{Regex::literal("a", "f"), std::string(100'000, 'x')}};
  std::string text(20'000, 'a');
  expect_error([&] { normalize_text(steps, text); }, Code::kExhausted,
               "text of 20000 bytes: Replace would insert more than 1073741824 bytes");
}

TEST(Normalizer, SpellsBytes) {
  EXPECT_EQ(normalized({SpellBytesStep{}}, "é "), "Ã©Ġ");
}

TEST(Normalizer, Bert) {
  EXPECT_EQ(normalized({BertStep{}}, "A\u00C9\x01\u00A0中b\uFFFD"), "ae  中 b");
  EXPECT_EQ(normalized({BertStep{false, false, false, false}}, "A\u00C9\x01中"), "A\u00C9\x01中");
  EXPECT_EQ(normalized({BertStep{true, false, false, false}}, "\t\u00AD\n"), "  ");
}

TEST(Normalizer, SaysWhetherTheBeginningIsKept) {
  const auto keeps = [](NormalizerStep step, std::string text) {
    return normalize_text({std::move(step)}, text);
  };
  EXPECT_TRUE(keeps(StripStep{}, "a "));
  EXPECT_FALSE(keeps(StripStep{}, " a"));
  EXPECT_FALSE(keeps(StripAccentsStep{}, "\u0301a"));
  EXPECT_TRUE(keeps(StripAccentsStep{}, "a\u0301"));
  EXPECT_FALSE(keeps(NmtStep{},
                     "\x01"
                     "a"));
  EXPECT_FALSE(keeps(BertStep{}, "\u0301a"));
  EXPECT_FALSE(keeps(ReplaceStep{Regex::literal("a", "f"), ""}, "ab"));
  EXPECT_TRUE(keeps(ReplaceStep{Regex::literal("a", "f"), "x"}, "ab"));
  EXPECT_TRUE(keeps(ReplaceStep{Regex::literal("b", "f"), ""}, "ab"));
}

TEST(Normalizer, SentencePieceSpaces) {
  const auto spaces = [](bool remove, bool prefix, std::string text) {
    return normalized({SentencePieceStep{nullptr, remove, prefix}}, std::move(text));
  };
  EXPECT_EQ(spaces(true, true, "  a  b "), "▁a▁b");
  EXPECT_EQ(spaces(true, false, "  a  b "), "a▁b");
  EXPECT_EQ(spaces(false, true, " a"), "▁▁a");
  EXPECT_EQ(spaces(false, false, " a "), "▁a▁");
  EXPECT_EQ(spaces(true, true, "  "), "");
  EXPECT_EQ(spaces(true, true, "a▁"), "▁a");
  EXPECT_EQ(spaces(false, true, ""), "");
}

}  // namespace
}  // namespace invar

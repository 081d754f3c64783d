// Each normalizer step; expected texts are the reference library's.
#include "text/normalizer.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>

#include "formats/expect_error.h"
#include "text/charsmap_builder.h"
#include "text/stopped.h"
#include "text/utf8.h"

namespace invar {
namespace {

std::string normalized(std::vector<NormalizerStep> steps, std::string text) {
  StopCheck never;
  normalize_text(steps, "f", text, never);
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

// The library's own function for whole texts, which is slow for long runs of marks.
std::string composed_by_utf8proc(const std::string& text, int options) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                   static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
  EXPECT_GE(size, 0);
  const std::string composed(reinterpret_cast<const char*>(mapped), static_cast<size_t>(size));
  std::free(mapped);
  return composed;
}

TEST(Normalizer, FormsAreUtf8procsForAnyText) {
  uint32_t state = 1;
  const auto random = [&](uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::string text;
    // Some are long enough to be composed in several pieces.
    const uint32_t length = round % 10 == 0 ? 20'000 : 40;
    for (uint32_t i = 0; i < length; ++i) {
      switch (random(5)) {
        case 0:
          append_utf8(0x41 + random(0x140), text);
          break;
        case 1:
          append_utf8(0x300 + random(0x70), text);  // marks
          break;
        case 2:
          append_utf8(0xF71 + random(0x11), text);  // marks that are no marks until decomposed
          break;
        case 3:
          append_utf8(random(2) == 0 ? 0x1100 + random(0x100) : 0xAC00 + random(0x2BA4), text);
          break;
        default:
          append_utf8(random(0xD800), text);
      }
    }
    const int kCompat = UTF8PROC_COMPAT;
    EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfc}}, text),
              composed_by_utf8proc(text, UTF8PROC_COMPOSE));
    EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfd}}, text),
              composed_by_utf8proc(text, UTF8PROC_DECOMPOSE));
    EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfkc}}, text),
              composed_by_utf8proc(text, UTF8PROC_COMPOSE | kCompat));
    EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfkd}}, text),
              composed_by_utf8proc(text, UTF8PROC_DECOMPOSE | kCompat));
  }
}

// Ordered by insertion, they would take half an hour.
TEST(Normalizer, ManyMarksAreOrderedInLinearTime) {
  std::string above;
  std::string below;
  for (int i = 0; i < 300'000; ++i) {
    above += "\u0301";
    below += "\u0316";
  }
  EXPECT_EQ(normalized({ComposeStep{UnicodeForm::kNfd}}, "a" + above + below), "a" + below + above);
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

TEST(Normalizer, DoesNotGrowWithoutBound) {
  const auto refuses = [](const std::vector<NormalizerStep>& steps, std::string text,
                          const std::string& message) {
    StopCheck never;
    expect_error([&] { normalize_text(steps, "t.json", text, never); }, Code::kExhausted,
                 "t.json: normalizer: expected at most " + message);
  };
  const NormalizerStep eightfold = ReplaceStep{Regex::literal("a", "f"), "aaaaaaaa"};
  const std::vector<NormalizerStep> bomb(14, eightfold);
  refuses(bomb, "a", "65600 bytes from a text of 1 bytes, found 65608");
  EXPECT_EQ(normalized({bomb.begin(), bomb.begin() + 5}, "a").size(), 32768u);
  refuses({PrependStep{std::string(70000, 'x')}}, "a",
          "65600 bytes from a text of 1 bytes, found 70001");
  refuses(std::vector<NormalizerStep>(20, SpellBytesStep{}), "\u00E9",
          "65664 bytes from a text of 2 bytes, found 131072");
  const std::string many(20'000'000, 'a');
  refuses({ReplaceStep{Regex::literal("a", "f"), std::string(100'000, 'x')}}, many,
          "1073741824 bytes from a text of 20000000 bytes, found 1073800000");
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
    StopCheck never;
    return normalize_text({std::move(step)}, "f", text, never);
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

TEST(Normalizer, StopsWhenNobodyWaits) {
  const std::vector<NormalizerStep> steps = {
      ComposeStep{UnicodeForm::kNfc},
      PrecompiledStep{std::make_shared<CharsMap>(CharsMap::parse(test::small_charsmap(), "f"))},
      SentencePieceStep{nullptr, true, true}};
  for (const NormalizerStep& step : steps) {
    StopCheck stop(test::stopped_token());
    std::string text = "\u0301" + std::string(20'000, 'x');
    test::expect_stopped([&] { normalize_text({step}, "f", text, stop); });
  }
}

}  // namespace
}  // namespace invar

// Case, where the reference is Python's strings.
#include "text/jinja/letter_case.h"

#include <gtest/gtest.h>

namespace invar::jinja {
namespace {

TEST(LetterCase, IsKnown) {
  EXPECT_TRUE(is_upper(U'É') && is_lower(U'é') && is_titlecase(U'ǅ') && is_cased(U'ǅ'));
  EXPECT_TRUE(is_upper(U'Ⅷ') && is_upper(U'Ⓐ') && is_lower(U'ⅷ') && is_lower(U'ª'));
  EXPECT_FALSE(is_cased(U'漢') || is_cased(U'1'));
}

TEST(LetterCase, Changes) {
  EXPECT_EQ(to_upper("straße é"), "STRASSE É");
  EXPECT_EQ(to_title("they're ßx ǆ"), "They'Re Ssx ǅ");
  EXPECT_EQ(to_capitalized("éCOLE ÀB"), "École àb");
  EXPECT_EQ(to_capitalized(""), "");
  EXPECT_EQ(to_swapped_case("aB1éßⅧ"), "Ab1ÉSSⅷ");
}

TEST(LetterCase, OneCharacterMayBecomeSeveral) {
  EXPECT_EQ(to_upper("ŉ ﬃ և ᾷ ǰ ẞ ᾳ"), "ʼN FFI ԵՒ Α͂Ι J̌ ẞ ΑΙ");
  EXPECT_EQ(to_title("ŉ ﬃ և ᾷ ǰ ẞ İ"), "ʼN Ffi Եւ \u0391\u0342\u0345 J\u030C ẞ İ");
  EXPECT_EQ(to_capitalized("ﬁx"), "Fix");
  EXPECT_EQ(to_lower("İ"), "i\u0307");
  EXPECT_EQ(to_folded("Straße ẞ İ ﬁ ŉ"), "strasse ss i\u0307 fi ʼn");
}

TEST(LetterCase, TheLastSigmaOfAWordHasItsOwnForm) {
  EXPECT_EQ(to_lower("ÀB ΣΑΣ Σ"), "àb σας σ");
  EXPECT_EQ(to_lower("ΑΣ' Σ'Α Α.Σ ΑΣ\u0301"), "ας' σ'α α.ς ας\u0301");
  EXPECT_EQ(to_lower("Α'Σ'Α 'Σ'"), "α'σ'α 'σ'");
}

}  // namespace
}  // namespace invar::jinja

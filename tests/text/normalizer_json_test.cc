// Normalizers of tokenizer.json, seen through the ids of single-character tokens.
#include <gtest/gtest.h>

#include "text/tokenizer_builder.h"

namespace invar {
namespace {

// What the model sees: a vocabulary of unknown words, so the piece is read from the added text of a
// WordLevel error.
std::string seen(std::string_view normalizer, std::string_view text) {
  const Tokenizer tokenizer = test::tokenizer_of(
      {.normalizer = normalizer, .model = R"({"type": "WordLevel", "vocab": {}})"});
  try {
    tokenizer.encode(text);
  } catch (const Error& error) {
    const std::string message = error.what();
    const size_t begin = message.find('\'') + 1;
    return message.substr(begin, message.rfind('\'') - begin);
  }
  return "";
}

TEST(NormalizerJson, EachType) {
  EXPECT_EQ(seen(R"({"type": "Lowercase"})", "AB"), "ab");
  EXPECT_EQ(seen(R"({"type": "NFC"})", "e\u0301"), "\\xc3\\xa9");
  EXPECT_EQ(seen(R"({"type": "NFD"})", "\u00E9"), "e\\xcc\\x81");
  EXPECT_EQ(seen(R"({"type": "NFKC"})", "\uFB01"), "fi");
  EXPECT_EQ(seen(R"({"type": "NFKD"})", "\uFB01"), "fi");
  EXPECT_EQ(seen(R"({"type": "StripAccents"})", "e\u0301"), "e");
  EXPECT_EQ(seen(R"({"type": "Nmt"})", "a\tb"), "a b");
  EXPECT_EQ(seen(R"({"type": "ByteLevel"})", " "), "\\xc4\\xa0");
  EXPECT_EQ(seen(R"({"type": "Prepend", "prepend": "_"})", "a"), "_a");
  EXPECT_EQ(seen(R"({"type": "Replace", "pattern": {"String": "."}, "content": "x"})", "a.b"),
            "axb");
  EXPECT_EQ(seen(R"({"type": "Replace", "pattern": {"Regex": "."}, "content": "x"})", "a.b"),
            "xxx");
  EXPECT_EQ(seen(R"({"type": "Replace", "pattern": "a", "content": "x"})", "a.b"), "x.b");
  EXPECT_EQ(seen(R"({"type": "Strip", "strip_left": true, "strip_right": false})", " a "), "a ");
  EXPECT_EQ(seen(R"({"type": "BertNormalizer"})", "\u00C9"), "e");
  EXPECT_EQ(seen(R"({"type": "BertNormalizer", "lowercase": false})", "E\u0301"), "E\\xcc\\x81");
  EXPECT_EQ(seen(R"({"type": "BertNormalizer", "strip_accents": false})", "E\u0301"),
            "e\\xcc\\x81");
  EXPECT_EQ(seen(R"({"type": "Sequence", "normalizers": [{"type": "Lowercase"},
                    {"type": "Prepend", "prepend": "A"}]})",
                 "B"),
            "Ab");
  // A map without keys.
  EXPECT_EQ(seen(R"({"type": "Precompiled", "precompiled_charsmap": "BAAAAAAAAAAA"})", "ab"), "ab");
}

std::string nested(std::string_view list, std::string_view inner) {
  std::string out(inner);
  for (int i = 0; i < 20; ++i) {
    out = fmt::format(R"({{"type": "Sequence", "{}": [{}]}})", list, out);
  }
  return out;
}

TEST(NormalizerJson, RefusesByName) {
  const auto refused = [](std::string_view normalizer, Code code, const std::string& message) {
    test::expect_refused({.normalizer = normalizer}, code, message);
  };
  refused(R"({"type": "Rot13"})", Code::kUnsupported,
          "normalizer.type: expected a known normalizer, found 'Rot13'");
  refused(R"({"typ": 1})", Code::kBadFile, "normalizer: expected a field 'type', found none");
  refused(R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "X"}]})",
          Code::kUnsupported,
          "normalizer.normalizers[1].type: expected a known normalizer, found 'X'");
  refused(R"({"type": "Replace", "pattern": {"Glob": "*"}, "content": ""})", Code::kBadFile,
          "normalizer.pattern: expected a pattern: String or Regex, found an object");
  refused(R"({"type": "Replace", "pattern": {"Regex": "("}, "content": ""})", Code::kBadFile,
          "normalizer.pattern.Regex: pattern '(': missing closing parenthesis");
  refused(R"({"type": "Precompiled", "precompiled_charsmap": "*"})", Code::kBadFile,
          "normalizer.precompiled_charsmap: expected base64, found '*'");
  const std::string deep = nested("normalizers", R"({"type": "NFC"})");
  EXPECT_THROW(test::tokenizer_of({.normalizer = deep}), Error);
}

}  // namespace
}  // namespace invar

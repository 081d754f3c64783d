// Decoders of tokenizer.json.
#include <gtest/gtest.h>

#include "text/tokenizer_builder.h"

namespace invar {
namespace {

// Decodes tokens 0, 1 and 2 of a vocabulary made for the decoder.
std::string decoded(std::string_view decoder, std::string_view tokens) {
  const std::string model = fmt::format(R"({{"type": "WordLevel", "vocab": {}}})", tokens);
  const std::vector<int32_t> ids = {0, 1, 2};
  return test::tokenizer_of({.decoder = decoder, .model = model}).decode(ids, false);
}

TEST(DecoderJson, EachType) {
  EXPECT_EQ(decoded(R"({"type": "ByteLevel"})", R"({"Ġa": 0, "Ã": 1, "©": 2})"), " aé");
  EXPECT_EQ(decoded(R"({"type": "ByteFallback"})", R"({"a": 0, "<0xC3>": 1, "<0xA9>": 2})"), "aé");
  EXPECT_EQ(decoded(R"({"type": "Fuse"})", R"({"a": 0, "b": 1, "c": 2})"), "abc");
  EXPECT_EQ(decoded(R"({"type": "Strip", "content": "_", "start": 1, "stop": 0})",
                    R"({"_a": 0, "__b": 1, "c_": 2})"),
            "a_bc_");
  EXPECT_EQ(decoded(R"({"type": "Replace", "pattern": {"String": "▁"}, "content": " "})",
                    R"({"a": 0, "▁b": 1, "c": 2})"),
            "a bc");
  EXPECT_EQ(
      decoded(R"({"type": "Metaspace", "replacement": "▁"})", R"({"▁a": 0, "▁b": 1, "c": 2})"),
      "a bc");
  EXPECT_EQ(decoded(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never"})",
                    R"({"▁a": 0, "▁b": 1, "c": 2})"),
            " a bc");
  EXPECT_EQ(decoded(R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false})",
                    R"({"▁a": 0, "▁b": 1, "c": 2})"),
            " a bc");
  EXPECT_EQ(decoded(R"({"type": "WordPiece"})", R"({"a": 0, "##b": 1, ".": 2})"), "ab.");
  EXPECT_EQ(decoded(R"({"type": "WordPiece", "prefix": "@", "cleanup": false})",
                    R"({"a": 0, "@b": 1, ".": 2})"),
            "ab .");
  EXPECT_EQ(decoded(R"({"type": "BPEDecoder"})", R"({"a</w>": 0, "b": 1, "c</w>": 2})"), "a bc");
  EXPECT_EQ(decoded(R"({"type": "Sequence", "decoders": [{"type": "Fuse"},
                       {"type": "Strip", "content": "a", "start": 1, "stop": 0}]})",
                    R"({"a": 0, "b": 1, "c": 2})"),
            "bc");
  EXPECT_EQ(decoded("null", R"({"a": 0, "b": 1, "c": 2})"), "a b c");
}

TEST(DecoderJson, RefusesByName) {
  const auto refused = [](std::string_view decoder, Code code, const std::string& message) {
    test::expect_refused({.decoder = decoder}, code, message);
  };
  refused(R"({"type": "CTC"})", Code::kUnsupported,
          "decoder.type: expected a known decoder, found 'CTC'");
  refused(R"({"type": "Strip", "content": " ", "start": -1, "stop": 0})", Code::kBadFile,
          "decoder.start: expected a count, found -1");
  refused(R"({"type": "Strip", "content": " ", "start": 0, "stop": -1})", Code::kBadFile,
          "decoder.stop: expected a count, found -1");
  std::string deep = R"({"type": "Fuse"})";
  for (int i = 0; i < 20; ++i) {
    deep = fmt::format(R"({{"type": "Sequence", "decoders": [{}]}})", deep);
  }
  EXPECT_THROW(test::tokenizer_of({.decoder = deep}), Error);
}

}  // namespace
}  // namespace invar

// Post-processors of tokenizer.json: what goes around a text.
#include <gtest/gtest.h>

#include "text/tokenizer_builder.h"

namespace invar {
namespace {

constexpr std::string_view kTemplate = R"({"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "P", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
             {"SpecialToken": {"id": "Q", "type_id": 0}}],
  "special_tokens": {"P": {"id": "P", "ids": [7, 8], "tokens": ["x", "y"]},
                     "Q": {"id": "Q", "ids": [9], "tokens": ["z"]}}})";

std::vector<int32_t> around_a(std::string_view post_processor) {
  return test::tokenizer_of({.post_processor = post_processor})
      .encode("a", {.add_special_tokens = true});
}

TEST(PostProcessorJson, EachType) {
  using Ids = std::vector<int32_t>;
  EXPECT_EQ(around_a(kTemplate), (Ids{7, 8, 1, 9}));
  EXPECT_EQ(around_a(R"({"type": "BertProcessing", "cls": ["c", 5], "sep": ["s", 6]})"),
            (Ids{5, 1, 6}));
  EXPECT_EQ(around_a(R"({"type": "RobertaProcessing", "cls": ["c", 5], "sep": ["s", 6]})"),
            (Ids{5, 1, 6}));
  EXPECT_EQ(around_a(R"({"type": "ByteLevel"})"), (Ids{1}));
  const std::string both = fmt::format(
      R"({{"type": "Sequence", "processors": [{{"type": "ByteLevel"}}, {}]}})", kTemplate);
  EXPECT_EQ(around_a(both), (Ids{7, 8, 1, 9}));
}

TEST(PostProcessorJson, NothingIsAddedUnlessAsked) {
  EXPECT_EQ(test::tokenizer_of({.post_processor = kTemplate}).encode("a"),
            (std::vector<int32_t>{1}));
}

TEST(PostProcessorJson, RefusesByName) {
  const auto refused = [](std::string_view post, Code code, const std::string& message) {
    test::expect_refused({.post_processor = post}, code, message);
  };
  refused(R"({"type": "Shuffle"})", Code::kUnsupported,
          "post_processor.type: expected a known post-processor, found 'Shuffle'");
  refused(R"({"type": "BertProcessing", "cls": ["c"], "sep": ["s", 6]})", Code::kBadFile,
          "post_processor.cls: expected a token and its id, found an array");
  refused(R"({"type": "BertProcessing", "cls": ["c", -1], "sep": ["s", 6]})", Code::kBadFile,
          "post_processor.cls[1]: expected a token id from 0 to 8388607, found -1");
  refused(R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}]})",
          Code::kBadFile,
          "post_processor.single[0].Sequence.id: expected the sequence A, found 'B'");
  refused(R"({"type": "TemplateProcessing", "single": []})", Code::kBadFile,
          "post_processor.single: expected the sequence A once, found it 0 times");
  refused(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "P"}}]})",
          Code::kBadFile,
          "post_processor.single[0].SpecialToken.id: expected a token that special_tokens has, "
          "found 'P'");
  refused(R"({"type": "BertProcessing", "cls": [7, 5], "sep": ["s", 6]})", Code::kBadFile,
          "post_processor.cls: expected a token and its id, found an array");
  const auto refused_piece = [&](std::string_view single, std::string_view pair,
                                 const std::string& message) {
    refused(fmt::format(R"({{"type": "TemplateProcessing", "single": [{}], "pair": {},
                            "special_tokens": {{"P": {{"ids": [7]}}}}}})",
                        single, pair),
            Code::kBadFile, "post_processor." + message);
  };
  constexpr std::string_view kText = R"({"Sequence": {"id": "A", "type_id": 0}})";
  refused_piece(R"({"Sequence": {"id": "A", "type_id": "0"}})", "null",
                "single[0].Sequence.type_id: expected an integer, found '0'");
  refused_piece(R"({"SpecialToken": {"id": "P", "type_id": -1}})", "null",
                "single[0].SpecialToken.type_id: expected 0 to 4294967295, found -1");
  refused_piece(kText, R"("$A $B")", "pair: expected an array, found '$A $B'");
  refused_piece(kText, R"([7])", "pair[0]: expected an object, found 7");
  refused_piece(kText, R"([{"Sequence": {"id": "C"}}])",
                "pair[0].Sequence.id: expected the sequence A or B, found 'C'");
  refused_piece(kText, R"([{"SpecialToken": {"id": "P"}}, {"SpecialToken": {"id": "Q"}}])",
                "pair[1].SpecialToken.id: expected a token that special_tokens has, found 'Q'");
  const std::string twice =
      fmt::format(R"({{"type": "Sequence", "processors": [{}, {}]}})", kTemplate, kTemplate);
  refused(twice, Code::kUnsupported,
          "post_processor.processors[1].type: expected no second post-processor that adds tokens, "
          "found 'TemplateProcessing'");
  std::string deep = R"({"type": "ByteLevel"})";
  for (int i = 0; i < 20; ++i) {
    deep = fmt::format(R"({{"type": "Sequence", "processors": [{}]}})", deep);
  }
  EXPECT_THROW(test::tokenizer_of({.post_processor = deep}), Error);
}

}  // namespace
}  // namespace invar

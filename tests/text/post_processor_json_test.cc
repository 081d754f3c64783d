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
          "post_processor: post-processor 'Shuffle' is not supported");
  refused(R"({"type": "BertProcessing", "cls": ["c"], "sep": ["s", 6]})", Code::kBadFile,
          "post_processor.cls: expected a token and its id, found an array");
  refused(R"({"type": "BertProcessing", "cls": ["c", -1], "sep": ["s", 6]})", Code::kBadFile,
          "post_processor.cls[1]: expected a token id, found an integer");
  refused(R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}]})",
          Code::kBadFile, "post_processor.single[0]: expected the sequence A, found an object");
  refused(R"({"type": "TemplateProcessing", "single": []})", Code::kBadFile,
          "post_processor.single: expected the sequence A once, found an array");
  refused(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "P"}}]})",
          Code::kBadFile,
          "post_processor.single[0].SpecialToken.id: expected a token that special_tokens has, "
          "found 'P'");
  const std::string twice =
      fmt::format(R"({{"type": "Sequence", "processors": [{}, {}]}})", kTemplate, kTemplate);
  refused(twice, Code::kUnsupported,
          "post_processor.processors[1]: a second post-processor that adds tokens "
          "'TemplateProcessing' is not supported");
  std::string deep = R"({"type": "ByteLevel"})";
  for (int i = 0; i < 20; ++i) {
    deep = fmt::format(R"({{"type": "Sequence", "processors": [{}]}})", deep);
  }
  EXPECT_THROW(test::tokenizer_of({.post_processor = deep}), Error);
}

}  // namespace
}  // namespace invar

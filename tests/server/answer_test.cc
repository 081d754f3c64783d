// From events to pieces, with the events given by hand.
#include "server/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "server_support/byte_tokenizer.h"
#include "text/tokenizer_parts.h"

namespace invar {
namespace {

using testing::ElementsAre;

class ServedAnswerTest : public testing::Test {
 protected:
  struct Options {
    int32_t choices = 1;
    std::vector<std::string> stop = {};
    bool logprobs = false;
    AnswerText text = AnswerText::kAfresh;
    std::vector<int32_t> prompt = {};
  };
  ServedAnswer make(Options options) {
    Request request;
    request.choices = options.choices;
    state_ = std::make_shared<RequestState>(std::move(request), RequestPlan{}, size_t{1000});
    return {RequestHandle(state_, std::make_shared<WakeSignal>()),
            {.tokenizer = &text_.tokenizer,
             .choices = options.choices,
             .stop = std::move(options.stop),
             .logprobs = options.logprobs,
             .text = options.text,
             .prompt = std::move(options.prompt)}};
  }
  static std::vector<int32_t> ids_of(std::string_view text) {
    std::vector<int32_t> ids;
    std::ranges::transform(text, std::back_inserter(ids), byte_id);
    return ids;
  }
  // The request ends as the engine ends it.
  void finish(RequestOutcome outcome = RequestOutcome::kFinished) {
    state_->end.outcome = outcome;
    state_->events.close();
  }
  static std::vector<int64_t> offsets(const std::vector<SpelledToken>& tokens) {
    std::vector<int64_t> offsets;
    std::ranges::transform(tokens, std::back_inserter(offsets), &SpelledToken::text_offset);
    return offsets;
  }
  void push(TokenEvent event) { ASSERT_TRUE(state_->events.try_push(std::move(event))); }
  // An event for each byte; the last one finishes the choice as told.
  void push_text(std::string_view text, FinishReason finish = FinishReason::kNone,
                 int32_t choice = 0) {
    for (size_t i = 0; i < text.size(); ++i) {
      push({.choice = choice,
            .token_id = byte_id(text[i]),
            .finish = i + 1 == text.size() ? finish : FinishReason::kNone,
            .logprob = -static_cast<float>(i),
            .top_logprobs = {{.token_id = byte_id(text[i]), .logprob = -0.5f}}});
    }
  }
  // All pieces that there are now, as one.
  static AnswerPiece take_all(ServedAnswer& answer, int32_t choice = 0) {
    AnswerPiece all{.choice = choice};
    while (std::optional<AnswerPiece> piece = answer.next()) {
      EXPECT_EQ(piece->choice, choice);
      all.text += piece->text;
      all.finish = piece->finish;
      all.tokens.insert(all.tokens.end(), piece->tokens.begin(), piece->tokens.end());
    }
    return all;
  }
  static std::string spelled(const std::vector<SpelledToken>& tokens) {
    std::string text;
    for (const SpelledToken& token : tokens) {
      text += token.token.bytes;
    }
    return text;
  }

  ModelText text_ = make_byte_text();
  std::shared_ptr<RequestState> state_;
};

TEST_F(ServedAnswerTest, GivesAPieceATokenAndTheEnd) {
  ServedAnswer answer = make({});
  EXPECT_FALSE(answer.next());
  EXPECT_FALSE(answer.ended());
  push_text("ab", FinishReason::kLength);
  const auto first = answer.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "a");
  EXPECT_EQ(first->finish, FinishReason::kNone);
  const auto last = answer.next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->text, "b");
  EXPECT_EQ(last->finish, FinishReason::kLength);
  EXPECT_TRUE(answer.ended());
  EXPECT_FALSE(answer.failed());
  EXPECT_FALSE(answer.next());
  EXPECT_EQ(answer.generated_tokens(), 2);
}

TEST_F(ServedAnswerTest, AStopTokenIsNoText) {
  ServedAnswer answer = make({.logprobs = true});
  push_text("ab");
  push({.token_id = byte_id('X'), .finish = FinishReason::kStop});
  const AnswerPiece all = take_all(answer);
  EXPECT_EQ(all.text, "ab");
  EXPECT_EQ(spelled(all.tokens), "abX");  // though it is one of the tokens
  EXPECT_EQ(all.tokens[2].text_offset, 2);
  EXPECT_EQ(all.finish, FinishReason::kStop);
  EXPECT_EQ(answer.generated_tokens(), 3);
}

TEST_F(ServedAnswerTest, NeverGivesHalfACharacter) {
  ServedAnswer answer = make({});
  push_text("\xe2\x82");
  EXPECT_FALSE(answer.next());
  push_text("\xac");
  EXPECT_EQ(answer.next()->text, "\xe2\x82\xac");
  push_text("\xe2\x82", FinishReason::kLength);
  const AnswerPiece rest = take_all(answer);
  EXPECT_EQ(rest.text, "\xEF\xBF\xBD");
  EXPECT_EQ(rest.finish, FinishReason::kLength);
}

TEST_F(ServedAnswerTest, AStopStringEndsTheChoiceInTheEngine) {
  ServedAnswer answer = make({.stop = {"END"}});
  push_text("the EEN");
  EXPECT_EQ(take_all(answer).text, "the E");
  EXPECT_FALSE(answer.ended());
  push_text("D and more");
  const AnswerPiece last = take_all(answer);
  EXPECT_EQ(last.text, "");
  EXPECT_EQ(last.finish, FinishReason::kStop);
  EXPECT_TRUE(answer.ended());
  EXPECT_EQ(answer.generated_tokens(), 8);  // what follows does not count
  EXPECT_EQ(state_->choices_to_stop.try_pop(), 0);
}

TEST_F(ServedAnswerTest, AStopStringInTheLastTokenNeedsNoWord) {
  ServedAnswer answer = make({.stop = {"b"}});
  push_text("ab", FinishReason::kLength);
  const AnswerPiece all = take_all(answer);
  EXPECT_EQ(all.text, "a");
  EXPECT_EQ(all.finish, FinishReason::kStop);
  EXPECT_EQ(state_->choices_to_stop.try_pop(), std::nullopt);
}

TEST_F(ServedAnswerTest, TheEndReleasesWhatWasHeldBack) {
  ServedAnswer answer = make({.stop = {"END"}, .logprobs = true});
  push_text("xEN");
  EXPECT_EQ(take_all(answer).text, "x");
  push({.token_id = kEosId, .finish = FinishReason::kStop});
  const AnswerPiece rest = take_all(answer);
  EXPECT_EQ(rest.text, "EN");
  EXPECT_EQ(spelled(rest.tokens), "EN</s>");
}

TEST_F(ServedAnswerTest, ReplacedBytesCanCompleteAStopString) {
  ServedAnswer answer = make({.stop = {"\xEF\xBF\xBD"}});
  push_text("a\xe2", FinishReason::kLength);
  const AnswerPiece all = take_all(answer);
  EXPECT_EQ(all.text, "a");
  EXPECT_EQ(all.finish, FinishReason::kStop);
}

TEST_F(ServedAnswerTest, TokensComeWithTheirText) {
  ServedAnswer answer = make({.stop = {"bcd"}, .logprobs = true});
  push_text("a\xc3\xa9");
  const AnswerPiece first = take_all(answer);
  EXPECT_EQ(first.text, "a\xc3\xa9");
  ASSERT_EQ(first.tokens.size(), 3u);
  EXPECT_EQ(first.tokens[0].token.bytes, "a");
  EXPECT_EQ(first.tokens[1].token.bytes, "\xc3");
  EXPECT_EQ(first.tokens[1].token.logprob, -1);
  EXPECT_EQ(first.tokens[1].text_offset, 1);
  EXPECT_EQ(first.tokens[2].text_offset, 1);
  ASSERT_EQ(first.tokens[2].top.size(), 1u);
  EXPECT_EQ(first.tokens[2].top[0].bytes, "\xa9");
  EXPECT_EQ(first.tokens[2].top[0].logprob, -0.5f);
  // Held back with their text, and then dropped with it.
  push_text("bc");
  EXPECT_TRUE(take_all(answer).tokens.empty());
  push_text("x");
  const AnswerPiece released = take_all(answer);
  EXPECT_EQ(spelled(released.tokens), "bcx");
  EXPECT_EQ(released.tokens[0].text_offset, 2);
  push_text("ybcd");
  const AnswerPiece last = take_all(answer);
  EXPECT_EQ(last.text, "y");
  EXPECT_EQ(spelled(last.tokens), "y");
}

TEST_F(ServedAnswerTest, SpecialTokensAreTokensWithoutText) {
  ServedAnswer answer = make({.stop = {"<s>"}, .logprobs = true});
  push_text("a");
  push({.token_id = kBosId});
  push_text("<s", FinishReason::kNone);
  push({.token_id = kEosId});  // ignored as an end
  push_text("b", FinishReason::kLength);
  const AnswerPiece all = take_all(answer);
  EXPECT_EQ(all.text, "a<sb");
  EXPECT_EQ(all.finish, FinishReason::kLength);
  EXPECT_EQ(spelled(all.tokens), "a<s><s</s>b");
  EXPECT_THAT(offsets(all.tokens), ElementsAre(0, 1, 1, 2, 3, 3));
}

// Each token's text runs from its offset to the next one's.
TEST_F(ServedAnswerTest, OffsetsCountTheTextThatIsSent) {
  const struct {
    const char* bytes;
    const char* text;
    std::vector<int64_t> offsets;
  } cases[] = {
      {"a\xc3\xa9z", "a\xc3\xa9z", {0, 1, 1, 2}},
      // Bytes that turn out to be no character become U+FFFD, which the next token follows.
      {"\xc3z", "\xEF\xBF\xBDz", {0, 1}},
      {"a\xe2\x82z", "a\xEF\xBF\xBDz", {0, 1, 2, 2}},
      {"\x80z", "\xEF\xBF\xBDz", {0, 1}},
      {"\xe2\xc3\xa9z", "\xEF\xBF\xBD\xc3\xa9z", {0, 1, 1, 2}},
      {"\xef\xbf\xbdz", "\xef\xbf\xbdz", {0, 1, 1, 1}},
      {"z\xe2\x82", "z\xEF\xBF\xBD", {0, 1, 2}},
      {"\xf0\x9f\x98\x80\xf0", "\xf0\x9f\x98\x80\xEF\xBF\xBD", {0, 0, 0, 0, 1}}};
  for (const auto& each : cases) {
    ServedAnswer answer = make({.logprobs = true});
    push_text(each.bytes, FinishReason::kLength);
    const AnswerPiece all = take_all(answer);
    EXPECT_EQ(all.text, each.text);
    EXPECT_EQ(offsets(all.tokens), each.offsets) << each.text;
  }
}

// A vocabulary of words with their spaces and of bytes that a run of tokens spells.
Tokenizer word_tokenizer() {
  auto parts = std::make_unique<TokenizerParts>();
  const char* tokens[] = {"\u2581Once", "\u2581upon", "<0xE4>", "<0xBD>", "<0xA0>"};
  for (int32_t id = 0; id < 5; ++id) {
    EXPECT_TRUE(parts->vocabulary.add(id, tokens[id]));
  }
  parts->decoder =
      TokenDecoder({MetaspaceDecode{.replacement = "\u2581"}, ByteFallbackDecode{}, FuseDecode{}});
  return Tokenizer(std::move(parts));
}

TEST_F(ServedAnswerTest, WordsKeepTheirSpacesWhereTheyGoOnFromThePrompt) {
  const Tokenizer tokenizer = word_tokenizer();
  const auto text_of = [&](AnswerText text, const std::vector<int32_t>& ids) {
    state_ = std::make_shared<RequestState>(Request{}, RequestPlan{}, size_t{1000});
    ServedAnswer answer(RequestHandle(state_, std::make_shared<WakeSignal>()),
                        {.tokenizer = &tokenizer, .logprobs = true, .text = text, .prompt = {0}});
    for (const int32_t id : ids) {
      push({.token_id = id,
            .position = 1,
            .finish = &id == &ids.back() ? FinishReason::kLength : FinishReason::kNone});
    }
    return take_all(answer);
  };
  EXPECT_EQ(text_of(AnswerText::kAfresh, {1}).text, "upon");
  EXPECT_EQ(text_of(AnswerText::kContinued, {1}).text, " upon");
  EXPECT_EQ(text_of(AnswerText::kEchoed, {1}).text, "Once upon");
  // A run of bytes is one character or, where it is none, one U+FFFD a byte.
  const AnswerPiece whole = text_of(AnswerText::kContinued, {2, 3, 4, 1});
  EXPECT_EQ(whole.text, "\u4F60 upon");
  EXPECT_THAT(offsets(whole.tokens), ElementsAre(0, 0, 0, 1));
  const AnswerPiece broken = text_of(AnswerText::kContinued, {2, 3, 1});
  EXPECT_EQ(broken.text, "\uFFFD\uFFFD upon");
  EXPECT_THAT(offsets(broken.tokens), ElementsAre(0, 1, 2));
}

TEST_F(ServedAnswerTest, AnEchoStandsBeforeEachChoice) {
  ServedAnswer answer = make({.choices = 2,
                              .stop = {"nc"},
                              .text = AnswerText::kEchoed,
                              .prompt = {kBosId, byte_id('n'), byte_id('c'), byte_id('\xc3')}});
  for (int32_t choice = 0; choice < 2; ++choice) {
    const auto echo = answer.next();
    ASSERT_TRUE(echo);
    EXPECT_EQ(echo->choice, choice);
    EXPECT_EQ(echo->text, "nc");
  }
  EXPECT_FALSE(answer.next());
  push_text("\xa9x", FinishReason::kLength, 1);
  EXPECT_EQ(take_all(answer, 1).text, "\xc3\xa9x");
}

TEST_F(ServedAnswerTest, AContinuedTextLeavesThePromptOut) {
  ServedAnswer answer =
      make({.logprobs = true, .text = AnswerText::kContinued, .prompt = ids_of("n\xc3")});
  EXPECT_FALSE(answer.next());
  push_text("\xa9x", FinishReason::kLength);
  const AnswerPiece all = take_all(answer);
  EXPECT_EQ(all.text, "\xc3\xa9x");
  EXPECT_THAT(offsets(all.tokens), ElementsAre(0, 1));
}

TEST_F(ServedAnswerTest, AScoredPromptComesWithItsTokens) {
  const std::vector<int32_t> prompt = {kBosId, byte_id('n'), byte_id('\xc3'), byte_id('c')};
  ServedAnswer answer =
      make({.stop = {"c"}, .logprobs = true, .text = AnswerText::kEchoed, .prompt = prompt});
  const AnswerPiece first = take_all(answer);
  ASSERT_EQ(first.tokens.size(), 1u);
  EXPECT_EQ(first.tokens[0].token.bytes, "<s>");
  EXPECT_FALSE(first.tokens[0].has_logprob);
  for (size_t i = 1; i < prompt.size(); ++i) {
    push({.token_id = prompt[i],
          .position = static_cast<int64_t>(i),
          .logprob = -static_cast<float>(i),
          .top_logprobs = {{.token_id = byte_id('t'), .logprob = -0.5f}}});
  }
  const AnswerPiece echo = take_all(answer);
  EXPECT_EQ(echo.text, "n\xEF\xBF\xBD\x63");
  EXPECT_EQ(spelled(echo.tokens), "n\xc3\x63");
  EXPECT_THAT(offsets(echo.tokens), ElementsAre(0, 1, 2));
  EXPECT_EQ(echo.tokens[2].token.logprob, -3);
  EXPECT_EQ(echo.tokens[2].top[0].bytes, "t");
  EXPECT_EQ(answer.generated_tokens(), 0);
  push({.token_id = byte_id('d'), .position = 4, .finish = FinishReason::kLength});
  const AnswerPiece rest = take_all(answer);
  EXPECT_EQ(rest.text, "d");
  EXPECT_THAT(offsets(rest.tokens), ElementsAre(3));
  EXPECT_EQ(answer.generated_tokens(), 1);
}

TEST_F(ServedAnswerTest, ARequestWithoutTokensEndsByLength) {
  ServedAnswer answer =
      make({.choices = 2, .text = AnswerText::kEchoed, .prompt = ids_of("n\xc3")});
  finish();
  std::vector<std::string> seen;
  while (const auto piece = answer.next()) {
    seen.push_back(piece->text);
    EXPECT_EQ(piece->finish == FinishReason::kLength, seen.size() > 2);
  }
  EXPECT_THAT(seen, ElementsAre("n", "n", "\xEF\xBF\xBD", "\xEF\xBF\xBD"));
  EXPECT_TRUE(answer.ended());
  EXPECT_FALSE(answer.failed());
}

TEST_F(ServedAnswerTest, WithoutLogprobsNoTokensAreKept) {
  ServedAnswer answer = make({});
  push_text("abc");
  EXPECT_TRUE(take_all(answer).tokens.empty());
}

TEST_F(ServedAnswerTest, ChoicesAreApart) {
  ServedAnswer answer = make({.choices = 2, .stop = {"cd"}});
  push_text("ac", FinishReason::kNone, 0);
  push_text("bc", FinishReason::kNone, 1);
  push_text("d", FinishReason::kNone, 0);
  push_text("x", FinishReason::kNone, 0);  // too late
  push_text("e", FinishReason::kLength, 1);
  std::string seen;
  while (const auto piece = answer.next()) {
    seen += std::to_string(piece->choice) + piece->text +
            (piece->finish == FinishReason::kNone ? "," : ".");
  }
  EXPECT_EQ(seen, "0a,1b,0.1ce.");
  EXPECT_TRUE(answer.ended());
  EXPECT_EQ(answer.generated_tokens(), 6);
  EXPECT_EQ(state_->choices_to_stop.try_pop(), 0);
  EXPECT_EQ(state_->choices_to_stop.try_pop(), std::nullopt);
}

TEST_F(ServedAnswerTest, AFailureIsTold) {
  ServedAnswer answer = make({});
  push_text("a");
  state_->end.outcome = RequestOutcome::kFailed;
  state_->end.message = "broken";
  state_->events.close();
  EXPECT_EQ(answer.next()->text, "a");
  EXPECT_FALSE(answer.failed());
  EXPECT_FALSE(answer.next());
  EXPECT_TRUE(answer.ended());
  EXPECT_TRUE(answer.failed());
  EXPECT_EQ(answer.failure().message, "broken");
}

TEST_F(ServedAnswerTest, GoingAwayCancels) {
  { ServedAnswer answer = make({}); }
  EXPECT_TRUE(state_->cancel_requested.load());
}

}  // namespace
}  // namespace invar

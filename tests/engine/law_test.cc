// The check itself, on a small program: what it returns, prints and refuses. That it can fail is
// shown by tests/law/planted_fault_test.cc.
#include "engine/law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "backend/registry.h"
#include "formats/expect_error.h"
#include "program/fuse/rule.h"
#include "program/small_model.h"

namespace invar {
namespace {

class LawTest : public testing::Test {
 protected:
  LawTest() : fused_(copy(model_.program)) { fuse(fused_); }

  LawSubject subject() {
    return {.program = &fused_,
            .unfused = &model_.program,
            .backend = backend_.get(),
            .team = &team_,
            .other_isas = {{.name = "portable", .backend = portable_.get()}},
            .context = 1024};
  }

  SmallModel model_;
  Program fused_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  std::unique_ptr<Backend> portable_ = make_cpu_backend("portable");
  ThreadTeam team_{1};  // the threads cases have their own
};

std::vector<std::string> names_of(const std::vector<LawResult>& results) {
  std::vector<std::string> names;
  for (const LawResult& result : results) {
    names.push_back(result.case_name);
  }
  return names;
}

TEST_F(LawTest, EveryCaseIsEqual) {
  std::vector<std::string> reported;
  std::map<std::string, int64_t> last_done;
  const LawOptions options{
      .tokens = 300,
      .progress =
          [&](const std::string& name, int64_t done, int64_t total) {
            EXPECT_GT(done, last_done[name]);
            EXPECT_LE(done, total);
            last_done[name] = done;
          },
      .on_result = [&](const LawResult& result) { reported.push_back(result.case_name); }};
  const std::vector<LawResult> results = check_law(subject(), options);
  EXPECT_THAT(names_of(results),
              testing::ElementsAre("solo", "cuts", "tokens", "batched", "truncate", "fork",
                                   "verify", "snapshot", "evicted", "poisoned", "threads-1",
                                   "threads-2", "threads-3", "isa-portable", "unfused"));
  EXPECT_EQ(reported, names_of(results));
  for (const LawResult& result : results) {
    EXPECT_EQ(describe("small", result), "law small " + result.case_name + ": equal");
    EXPECT_GE(result.rows_compared, 300) << result.case_name;
    EXPECT_GT(result.seconds, 0);
    EXPECT_TRUE(last_done.contains(result.case_name));
    if (result.case_name == "fork" || result.case_name == "poisoned") {
      EXPECT_GT(result.copied[StateUnit::kKvBlock], 0) << result.case_name;
    }
  }
  EXPECT_EQ(describe(summarize(results)), "15 equal, 0 differ");
  EXPECT_TRUE(summarize(results).holds());
}

TEST_F(LawTest, OneCaseAlone) {
  const std::vector<LawResult> results = check_law(subject(), {.tokens = 70, .only = "verify"});
  EXPECT_THAT(names_of(results), testing::ElementsAre("verify"));
}

TEST_F(LawTest, ShortContexts) {
  // No room for wrong tokens beyond the prompt, nor for whole pieces.
  for (const int64_t context : {2, 64, 65}) {
    LawSubject small = subject();
    small.context = context;
    const std::vector<LawResult> results = check_law(small, {});
    EXPECT_EQ(summarize(results).equal, 15) << context;
    EXPECT_TRUE(summarize(results).holds());
  }
}

TEST_F(LawTest, SkipsWithoutFusion) {
  LawSubject small = subject();
  small.unfused = nullptr;
  const std::vector<LawResult> results = check_law(small, {.tokens = 20, .only = "unfused"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(describe("m", results[0]), "law m unfused: skipped no fusion rule applies");
  // Nothing was compared, so nothing holds.
  EXPECT_EQ(describe(summarize(results)), "0 equal, 0 differ");
  EXPECT_FALSE(summarize(results).holds());
}

TEST_F(LawTest, DescribesDifferences) {
  const LawResult result{.case_name = "cuts",
                         .status = LawResult::Status::kDiffers,
                         .position = 17,
                         .op = "linear layer 3 qkv"};
  EXPECT_EQ(describe("m", result), "law m cuts: DIFFERS position 17 op linear layer 3 qkv");
  EXPECT_FALSE(summarize({result}).holds());
}

TEST_F(LawTest, DescribesDetails) {
  LawResult result{.case_name = "fork", .rows_compared = 130, .pages_written = 4, .seconds = 0.25};
  result.copied = StateCounts::of({.kv_blocks = 1, .row_blocks = 2});
  result.referenced = StateCounts::of({.kv_blocks = 5, .state_pages = 3});
  EXPECT_EQ(describe_details(result),
            "130 rows compared in 0.250 s; copied 1 kv_blocks, 0 state_pages, 2 row_blocks; "
            "referenced 5 kv_blocks, 3 state_pages, 0 row_blocks; 4 state_pages written");
}

TEST_F(LawTest, SchedulesFollowFromTheSeed) {
  const LawOptions options{.seed = 5, .tokens = 200, .only = "fork"};
  const std::string text = describe_law_schedules(subject(), options);
  EXPECT_THAT(text, testing::StartsWith("case fork\npass 0+"));
  EXPECT_EQ(describe_law_schedules(subject(), options), text);
  EXPECT_NE(describe_law_schedules(subject(), {.seed = 6, .tokens = 200, .only = "fork"}), text);
  // One case's passes are the same whether others run or not.
  EXPECT_THAT(describe_law_schedules(subject(), {.seed = 5, .tokens = 200}),
              testing::HasSubstr(text));
}

TEST_F(LawTest, Errors) {
  expect_error([&] { check_law(subject(), {.tokens = 1025}); }, Code::kBadArgument,
               "tokens: expected 2 to 1024, found 1025");
  expect_error([&] { check_law(subject(), {.tokens = 1}); }, Code::kBadArgument,
               "tokens: expected 2 to 1024, found 1");
  LawSubject narrow = subject();
  narrow.context = 1;
  expect_error([&] { check_law(narrow, {}); }, Code::kBadArgument,
               "context: expected at least 2 positions, found 1");
  expect_error(
      [&] { check_law(subject(), {.tokens = 20, .only = "all"}); }, Code::kBadArgument,
      "case: expected one of solo, cuts, tokens, batched, truncate, fork, verify, "
      "snapshot, evicted, poisoned, threads-1, threads-2, threads-3, isa-portable, unfused, "
      "found 'all'");
}

TEST_F(LawTest, RefusesNaN) {
  // Equal bytes of NaN would say nothing about the law.
  for (ConstantInfo& constant : fused_.constants) {
    if (constant.name == "final norm") {
      constant.view.row<float>(0)[3] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  expect_error([&] { check_law(subject(), {.tokens = 20}); }, Code::kBadFile,
               "logits at position 0: expected numbers, found NaN");
}

}  // namespace
}  // namespace invar

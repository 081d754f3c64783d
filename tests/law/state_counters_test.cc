// What snapshots, resumes and rejections do to the state of real hybrid models, in numbers: they
// take references and copy no state_page, and drafts have no copies of recurrent state.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "backend/registry.h"
#include "engine/law_random.h"
#include "engine/timeline.h"
#include "models/model.h"

namespace invar {
namespace {

struct Counters {
  StateCounts copied;
  StateCounts referenced;
  StateCounts held;
  int64_t pages_written = 0;
};

class StateCounters : public testing::TestWithParam<std::string> {
 protected:
  StateCounters()
      : model_(load_model(std::filesystem::path(INVAR_SOURCE_DIR) / "tests/golden" / GetParam(),
                          {.dtype = DType::kF32}, team_, {})),
        runner_({.program = &model_->program, .backend = backend_.get(), .team = &team_},
                {.context_positions = 512, .kv_blocks = 32, .rows_max = 256}),
        ids_(law_prompt(1, 512, runner_.vocabulary())) {}

  Counters counters() {
    const StateMemory& memory = runner_.state_memory();
    return {.copied = memory.storage().copied(),
            .referenced = memory.referenced(),
            .held = memory.held_counts(),
            .pages_written = memory.pages_written()};
  }
  // What an action changed.
  template <class Action>
  Counters change(Action action) {
    const Counters before = counters();
    action();
    Counters after = counters();
    after.copied -= before.copied;
    after.referenced -= before.referenced;
    after.held -= before.held;
    after.pages_written -= before.pages_written;
    return after;
  }
  void extend(Timeline& line, int64_t rows, bool accept = true) {
    line.append({.token_ids = std::span(ids_).subspan(static_cast<size_t>(line.positions()),
                                                      static_cast<size_t>(rows)),
                 .accept = accept});
  }

  ThreadTeam team_{1};
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  std::unique_ptr<const Model> model_;
  Runner runner_;
  std::vector<int32_t> ids_;
};

TEST_P(StateCounters, SnapshotAndResumeTakeReferences) {
  Timeline line(runner_);
  extend(line, 200);
  std::optional<TimelineSnapshot> snapshot;
  const Counters taken = change([&] { snapshot = line.snapshot(); });
  EXPECT_EQ(taken.copied, StateCounts());
  EXPECT_EQ(taken.held, StateCounts());
  EXPECT_EQ(taken.pages_written, 0);
  EXPECT_EQ(taken.referenced[StateUnit::kStatePage], 1);
  EXPECT_EQ(taken.referenced[StateUnit::kRowBlock], 1);

  std::optional<Timeline> resumed;
  const Counters resume = change([&] { resumed.emplace(runner_, *snapshot); });
  EXPECT_EQ(resume.copied, StateCounts());
  EXPECT_EQ(resume.held, StateCounts());
  EXPECT_EQ(resume.referenced[StateUnit::kStatePage], 1);

  // Who writes first copies the rows of the open chunk, and no page.
  const Counters written = change([&] { extend(*resumed, 1); });
  EXPECT_EQ(written.copied[StateUnit::kStatePage], 0);
  EXPECT_EQ(written.copied[StateUnit::kRowBlock], 1);
}

TEST_P(StateCounters, ARejectionCopiesNothing) {
  Timeline line(runner_);
  extend(line, 250);
  const StateCounts held = counters().held;
  const Counters drafted = change([&] { extend(line, 16, /*accept=*/false); });
  EXPECT_EQ(drafted.copied, StateCounts());
  EXPECT_EQ(drafted.pages_written, 1);  // of the boundary at 256, provisional
  const Counters rejected = change([&] { line.truncate(line.accepted() + 2); });
  EXPECT_EQ(rejected.copied, StateCounts());
  EXPECT_EQ(rejected.referenced, StateCounts());
  EXPECT_EQ(rejected.pages_written, 0);
  EXPECT_EQ(counters().held, held);
  EXPECT_EQ(line.positions(), 252);
  EXPECT_EQ(line.state().computed(), 252);  // nothing to compute again
}

TEST_P(StateCounters, DraftsHaveNoStateOfTheirOwn) {
  // Within a chunk, any number of drafts takes what one does.
  for (const int64_t drafts : {1, 4, 16, 32}) {
    Timeline line(runner_);
    extend(line, 200);
    const Counters drafted = change([&] { extend(line, drafts, /*accept=*/false); });
    EXPECT_EQ(drafted.held, StateCounts()) << drafts;
    EXPECT_EQ(drafted.copied, StateCounts()) << drafts;
    EXPECT_EQ(drafted.pages_written, 0) << drafts;
  }
}

std::string name_of(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Hybrids, StateCounters, testing::Values("lfm2", "mamba2", "qwen3.5"),
                         &name_of);

}  // namespace
}  // namespace invar

// Memory of kv_blocks: layout, copies, refusals, and pages that stay untouched.
#include "cache/state_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace invar {
namespace {

using testing::HasSubstr;

const std::vector<StateBufferSpec> kTwoBuffers = {
    {.name = "keys", .dtype = DType::kF32, .columns = 100},
    {.name = "values", .dtype = DType::kF16, .columns = 36},
};

std::string error_of(std::span<const StateBufferSpec> buffers, int64_t kv_blocks, Code code) {
  try {
    const StateStorage storage(buffers, StateCounts::of({.kv_blocks = kv_blocks}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(StateStorage, LaysBuffersOutDenselyAndApart) {
  const StateStorage storage(kTwoBuffers, StateCounts::of({.kv_blocks = 5}));
  EXPECT_EQ(storage.counts()[StateUnit::kKvBlock], 5);
  EXPECT_EQ(storage.unit_bytes()[StateUnit::kKvBlock], 472);
  ASSERT_EQ(storage.buffers().size(), 2u);
  const TensorView keys = storage.buffers()[0];
  const TensorView values = storage.buffers()[1];
  EXPECT_EQ(keys.rows, 5);
  EXPECT_EQ(keys.columns, 100);
  EXPECT_EQ(keys.stride_bytes, 400);
  EXPECT_EQ(values.dtype, DType::kF16);
  EXPECT_EQ(values.stride_bytes, 72);
  EXPECT_GE(values.row<std::byte>(0), keys.row<std::byte>(5));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values.data) % 64, 0u);
  EXPECT_EQ(keys.row<float>(4)[99], 0.0f);
}

TEST(StateStorage, CopiesOneKvBlockOfEveryBuffer) {
  StateStorage storage(kTwoBuffers, StateCounts::of({.kv_blocks = 3}));
  const TensorView keys = storage.buffers()[0];
  const TensorView values = storage.buffers()[1];
  keys.row<float>(0)[99] = 1.5f;
  values.row<uint16_t>(0)[35] = 7;
  keys.row<float>(1)[0] = 2.0f;
  storage.copy({.from = 0, .to = 2});
  EXPECT_EQ(keys.row<float>(2)[99], 1.5f);
  EXPECT_EQ(values.row<uint16_t>(2)[35], 7);
  EXPECT_EQ(keys.row<float>(1)[0], 2.0f);
  EXPECT_EQ(keys.row<float>(1)[99], 0.0f);
}

TEST(StateStorage, PoisonIsNanInEveryType) {
  StateStorage storage(kTwoBuffers, StateCounts::of({.kv_blocks = 3}));
  storage.poison(StateUnit::kKvBlock, 1);
  EXPECT_EQ(storage.buffers()[0].row<float>(0)[99], 0.0f);
  EXPECT_TRUE(std::isnan(storage.buffers()[0].row<float>(1)[0]));
  EXPECT_TRUE(std::isnan(f16_to_f32(storage.buffers()[1].row<uint16_t>(1)[35])));
  EXPECT_EQ(storage.buffers()[0].row<float>(2)[0], 0.0f);
  storage.poison();
  EXPECT_TRUE(std::isnan(storage.buffers()[0].row<float>(0)[0]));
  EXPECT_TRUE(std::isnan(f16_to_f32(storage.buffers()[1].row<uint16_t>(2)[35])));
}

TEST(StateStorage, UntouchedKvBlocksAreNotResident) {
  const std::vector<StateBufferSpec> buffers = {
      {.name = "keys", .dtype = DType::kF32, .columns = 1 << 16}};  // 256 KiB a kv_block
  StateStorage storage(buffers, StateCounts::of({.kv_blocks = 64}));
  const TensorView keys = storage.buffers()[0];
  for (int64_t i = 0; i < keys.columns; ++i) {
    keys.row<float>(7)[i] = 1.0f;
  }
  std::vector<unsigned char> resident(64 * (1 << 18) / 4096);
  ASSERT_EQ(::mincore(keys.data, 64 << 18, resident.data()), 0);
  int64_t pages = 0;
  for (const unsigned char page : resident) {
    pages += page & 1;
  }
  // One kv_block is 64 pages; a kernel that always uses huge pages may make 2 MiB twice of it.
  EXPECT_GE(pages, 64);
  EXPECT_LE(pages, 1024);
}

TEST(StateStorage, RefusesMemoryThatDoesNotExist) {
  // 2^56 bytes: more than any address space that Linux gives a process.
  EXPECT_THAT(error_of(kTwoBuffers, int64_t{1} << 47, Code::kExhausted),
              HasSubstr("140737488355328 kv_blocks of 472 bytes"));
  EXPECT_THAT(error_of(kTwoBuffers, std::numeric_limits<int64_t>::max(), Code::kExhausted),
              HasSubstr("more than an address can name"));
}

TEST(StateStorage, RefusesACountBelowOne) {
  EXPECT_THAT(error_of(kTwoBuffers, 0, Code::kBadArgument), HasSubstr("found 0"));
  EXPECT_THAT(error_of(kTwoBuffers, -3, Code::kBadArgument), HasSubstr("found -3"));
}

TEST(StateStorage, KeepsUnitsApart) {
  const std::vector<StateBufferSpec> buffers = {
      {.name = "keys", .columns = 4},
      {.name = "pages", .columns = 3, .unit = StateUnit::kStatePage},
      {.name = "rows", .columns = 5, .unit = StateUnit::kRowBlock},
      {.name = "more pages", .columns = 2, .unit = StateUnit::kStatePage},
  };
  StateStorage storage(buffers,
                       StateCounts::of({.kv_blocks = 6, .state_pages = 4, .row_blocks = 2}));
  EXPECT_EQ(storage.unit_bytes(),
            StateCounts::of({.kv_blocks = 16, .state_pages = 20, .row_blocks = 20}));
  EXPECT_EQ(storage.buffers()[0].rows, 6);
  EXPECT_EQ(storage.buffers()[1].rows, 4);
  EXPECT_EQ(storage.buffers()[2].rows, 2);
  EXPECT_EQ(storage.buffers()[3].rows, 4);
  storage.buffers()[2].row<float>(0)[4] = 3.0f;
  storage.buffers()[1].row<float>(0)[2] = 4.0f;
  storage.copy({.unit = StateUnit::kRowBlock, .from = 0, .to = 1});
  EXPECT_EQ(storage.buffers()[2].row<float>(1)[4], 3.0f);
  EXPECT_EQ(storage.buffers()[1].row<float>(1)[2], 0.0f);
  EXPECT_EQ(storage.copied(), StateCounts::of({.row_blocks = 1}));
  storage.poison(StateUnit::kStatePage, 1);
  EXPECT_TRUE(std::isnan(storage.buffers()[1].row<float>(1)[0]));
  EXPECT_TRUE(std::isnan(storage.buffers()[3].row<float>(1)[1]));
  EXPECT_EQ(storage.buffers()[0].row<float>(1)[0], 0.0f);
  EXPECT_EQ(storage.buffers()[2].row<float>(1)[0], 0.0f);
}

TEST(StateStorage, RefusesTooFewOfAUnitThatBuffersUse) {
  const std::vector<StateBufferSpec> buffers = {
      {.name = "pages", .columns = 3, .unit = StateUnit::kStatePage}};
  try {
    const StateStorage storage(buffers, StateCounts::of({.kv_blocks = 1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadArgument);
    EXPECT_THAT(error.what(), HasSubstr("at least 1 state_page, found 0"));
  }
  try {
    const StateStorage storage(buffers,
                               StateCounts::of({.kv_blocks = 1, .state_pages = int64_t{1} << 62}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("4611686018427387904 state_pages of 12 bytes"));
  }
}

TEST(StateStorage, AProgramWithoutStateNeedsNoMemory) {
  StateStorage storage({}, StateCounts::of({.kv_blocks = 2}));
  EXPECT_EQ(storage.unit_bytes()[StateUnit::kKvBlock], 0);
  EXPECT_TRUE(storage.buffers().empty());
  storage.copy({.from = 0, .to = 1});
}

}  // namespace
}  // namespace invar

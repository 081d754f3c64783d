// RoPE tables: angles, llama3 scaling, factors from a file, and numbers that no table can hold.
#include "layers/rope_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace invar {
namespace {

TEST(RopeTable, HoldsCosinesThenSines) {
  RopeTable table({.parameters = {.rope_theta = 10000}, .rotary_columns = 8, .context = 50});
  table.fill(20, 50);
  table.fill(0, 20);
  const TensorView view = table.view();
  EXPECT_EQ(table.bytes(), 50 * 8 * 4);
  EXPECT_EQ(view.rows, 50);
  EXPECT_EQ(view.columns, 8);
  for (int position : {0, 1, 49}) {
    for (int i = 0; i < 4; ++i) {
      const double angle = position * std::pow(10000.0, -i / 4.0);
      EXPECT_NEAR(view.row<float>(position)[i], std::cos(angle), 1e-7);
      EXPECT_NEAR(view.row<float>(position)[4 + i], std::sin(angle), 1e-7);
    }
  }
}

TEST(RopeTable, Llama3KeepsShortWavelengthsAndStretchesLongOnes) {
  const RopeParameters rope{.rope_theta = 10000,
                            .scaling = RopeScaling::kLlama3,
                            .factor = 8,
                            .low_freq_factor = 1,
                            .high_freq_factor = 4,
                            .original_max_position_embeddings = 64};
  const RopeTable::Options scaled{.parameters = rope, .rotary_columns = 16, .context = 4};
  const RopeTable::Options plain{
      .parameters = {.rope_theta = 10000}, .rotary_columns = 16, .context = 4};
  const std::vector<double> a = rope_frequencies(scaled);
  const std::vector<double> b = rope_frequencies(plain);
  int kept = 0;
  int stretched = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double wavelength = 2 * M_PI / b[i];
    if (wavelength < 64.0 / 4) {
      EXPECT_DOUBLE_EQ(a[i], b[i]);
      kept += 1;
    } else if (wavelength > 64.0) {
      EXPECT_NEAR(a[i] * 8, b[i], 1e-15);
      stretched += 1;
    } else {
      EXPECT_GT(a[i], b[i] / 8);
      EXPECT_LT(a[i], b[i]);
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(stretched, 0);
}

TEST(RopeTable, FactorsDivideFrequencies) {
  const float factors[] = {1, 2};
  const std::vector<double> frequencies = rope_frequencies({.parameters = {.rope_theta = 100},
                                                            .rotary_columns = 4,
                                                            .context = 4,
                                                            .frequency_factors = factors});
  EXPECT_NEAR(frequencies[0], 1, 1e-14);
  EXPECT_NEAR(frequencies[1], 0.05, 1e-14);
}

TEST(RopeTable, ImpossibleAnglesAreAnError) {
  for (float factor : {0.0F, std::numeric_limits<float>::quiet_NaN(), 1e-20F, -1.0F}) {
    const float factors[] = {factor, 1};
    EXPECT_THAT(
        [&] {
          RopeTable({.label = "m.gguf: rope",
                     .parameters = {},
                     .rotary_columns = 4,
                     .context = 4096,
                     .frequency_factors = factors});
        },
        testing::ThrowsMessage<Error>(
            testing::StartsWith("m.gguf: rope: frequencies: expected angles up to")));
  }
}

}  // namespace
}  // namespace invar

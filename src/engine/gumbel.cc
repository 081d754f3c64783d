// From Philox words to Gumbel variates (gumbel.h), with operations that give the same bits
// anywhere.
#include "engine/gumbel.h"

#include "core/math.h"
#include "core/philox.h"

namespace invar {
namespace {

// -log(1 - v) for v in (0, 1/2], without the loss of 1 - v for small v: the error that 1 - v makes
// is undone by the quotient.
float exponential_of(float v) {
  const float w = 1.0f - v;
  const float rounded_v = 1.0f - w;
  return rounded_v == 0.0f ? v : -log_f32(w) * (v / rounded_v);
}

}  // namespace

std::array<uint32_t, kNoiseGroup> noise_words(const NoiseKey& key, int32_t group) {
  // The last word of the counter is left to other uses of the same seed.
  constexpr uint32_t kSamplingStream = 0;
  return philox4x32({static_cast<uint32_t>(group), static_cast<uint32_t>(key.position),
                     static_cast<uint32_t>(key.choice), kSamplingStream},
                    {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)});
}

uint32_t noise_word(const NoiseKey& key, int32_t token_id) {
  return noise_words(key, token_id / kNoiseGroup)[token_id % kNoiseGroup];
}

float gumbel(uint32_t word) {
  // v = (word + 1/2) / 2^32 and u = 1 - v are both uniform in (0, 1). Whichever is at most 1/2 is
  // rounded to f32, so that the tail, which decides draws, keeps its relative precision.
  constexpr double kUnit = 0x1p-32;
  const double v = (static_cast<double>(word) + 0.5) * kUnit;
  const float exponential =
      v <= 0.5 ? exponential_of(static_cast<float>(v)) : -log_f32(static_cast<float>(1.0 - v));
  return -log_f32(exponential);
}

}  // namespace invar

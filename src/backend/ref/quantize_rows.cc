// The definition of quantize_rows.
#include "backend/ops/quantize_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/ref/ref_backend.h"

namespace invar {

namespace {

struct GroupOf32 {
  int8_t q[32];
  float scale;
  int16_t q_sum[2];  // of the first and of the last 16
};

// Every step is one f32 operation, so this is the bitwise definition as well.
GroupOf32 quantize_group(const float* x) {
  constexpr float kZeroBelow = 0x1p-119f;
  GroupOf32 result = {};
  float amax = 0.0f;
  for (int i = 0; i < 32; ++i) {
    if (!std::isfinite(x[i])) {
      result.scale = std::numeric_limits<float>::quiet_NaN();
      return result;
    }
    amax = std::max(amax, std::fabs(x[i]));
  }
  if (amax < kZeroBelow) {
    return result;
  }
  result.scale = amax / 127.0f;
  const float factor = 127.0f / amax;
  for (int i = 0; i < 32; ++i) {
    // Adding and taking away 1.5 * 2^23 leaves the nearest integer, ties to even.
    const float rounded = (x[i] * factor + 0x1.8p23f) - 0x1.8p23f;
    result.q[i] = static_cast<int8_t>(rounded);
    result.q_sum[i / 16] = static_cast<int16_t>(result.q_sum[i / 16] + result.q[i]);
  }
  return result;
}

}  // namespace

void RefBackend::run(const Stream& stream, const QuantizeRows& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t columns = op.x.columns;
  for (int64_t t = 0; t < op.x.rows; ++t) {
    auto* q = op.out.row<int8_t>(t);
    auto* scale = reinterpret_cast<float*>(q + columns);
    auto* q_sum = reinterpret_cast<int16_t*>(scale + columns / 32);
    for (int64_t group = 0; group < columns / 32; ++group) {
      const GroupOf32 result = quantize_group(op.x.row<float>(t) + group * 32);
      std::copy_n(result.q, 32, q + group * 32);
      scale[group] = result.scale;
      std::copy_n(result.q_sum, 2, q_sum + 2 * group);
    }
  }
}

}  // namespace invar

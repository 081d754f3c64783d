// Every operation of every vector type: the portable one against plain definitions, the others
// against the portable one, bit for bit.
#include "kernels/cpu/vec_probe.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/math.h"
#include "kernels/cpu/cpu_features.h"

namespace invar::cpu {
namespace {

constexpr int kLanes = 16;
constexpr unsigned char kUntouched = 0xa5;

// Random bit patterns, so that all exponents, subnormals, infinities and NaNs occur; every other
// probe has moderate values, whose sums and products are numbers.
class Probes {
 public:
  VecProbe next() {
    VecProbe probe;
    const bool moderate = serial_ % 2 == 0;
    for (int i = 0; i < kLanes; ++i) {
      for (float* value : {&probe.a[i], &probe.b[i], &probe.c[i]}) {
        *value = moderate ? normal_(random_) * std::exp2(static_cast<float>(random_() % 12))
                          : std::bit_cast<float>(static_cast<uint32_t>(random_()));
      }
      if (random_() % 8 == 0) {
        probe.a[i] = kSpecial[random_() % std::size(kSpecial)];
      }
      probe.i[i] = static_cast<int32_t>(random_());
      probe.j[i] = static_cast<int32_t>(random_() >> (random_() % 32));
      if (random_() % 2 == 0) {
        probe.i[i] >>= 20;
      }
      probe.bf16[i] = {static_cast<uint16_t>(random_())};
      probe.f16[i] = {static_cast<uint16_t>(random_())};
    }
    probe.count = static_cast<int>(serial_++ % (kLanes + 1));
    return probe;
  }

 private:
  static constexpr float kSpecial[] = {0.0f,
                                       -0.0f,
                                       1.0f,
                                       0.5f,
                                       1.5f,
                                       2.5f,
                                       -2.5f,
                                       0x1p-149f,
                                       0x1p-126f,
                                       0x1p23f,
                                       0x1.fffffep22f,
                                       0x1p31f,
                                       -0x1p31f,
                                       65504.0f,
                                       65520.0f,
                                       0x1p-14f,
                                       0x1p-25f,
                                       0x1.8p-25f,
                                       3.4e38f,
                                       kExpZeroBelow,
                                       kExpInfinityAbove,
                                       std::numeric_limits<float>::infinity(),
                                       -std::numeric_limits<float>::infinity(),
                                       std::numeric_limits<float>::quiet_NaN(),
                                       std::numeric_limits<float>::signaling_NaN()};
  std::mt19937 random_{20260101};
  std::normal_distribution<float> normal_{0.0f, 1.0f};
  unsigned serial_ = 0;
};

using ProbeFunction = void (*)(const VecProbe&, VecProbeResult*);

std::vector<ProbeFunction> supported_probes() {
  std::vector<ProbeFunction> functions = {portable_vec_probe};
  if (detect_cpu_features().avx2) {
    functions.push_back(avx2_vec_probe);
  }
  if (detect_cpu_features().avx512) {
    functions.push_back(avx512_vec_probe);
  }
  return functions;
}

VecProbeResult run(ProbeFunction function, const VecProbe& probe) {
  VecProbeResult result;
  std::memset(&result, kUntouched, sizeof(result));
  function(probe, &result);
  return result;
}

uint32_t bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

// NaNs are equal whatever their payload: which operand's payload survives is not defined.
void expect_equal_arithmetic(const VecProbeResult& x, const VecProbeResult& y) {
  constexpr size_t kCount = sizeof(x.arithmetic) / sizeof(float);
  const auto* left = reinterpret_cast<const float*>(&x.arithmetic);
  const auto* right = reinterpret_cast<const float*>(&y.arithmetic);
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(bits(left[i]) == bits(right[i]) || (std::isnan(left[i]) && std::isnan(right[i])))
        << "arithmetic result " << i / kLanes << ", lane " << i % kLanes << ": " << left[i]
        << " and " << right[i];
  }
}

void expect_same_as_portable(ProbeFunction function) {
  Probes probes;
  for (int round = 0; round < 20000; ++round) {
    const VecProbe probe = probes.next();
    const VecProbeResult expected = run(portable_vec_probe, probe);
    const VecProbeResult found = run(function, probe);
    ASSERT_NO_FATAL_FAILURE(expect_equal_arithmetic(expected, found)) << "round " << round;
    const auto* left = reinterpret_cast<const unsigned char*>(&expected.exact);
    const auto* right = reinterpret_cast<const unsigned char*>(&found.exact);
    for (size_t i = 0; i < sizeof(expected.exact); ++i) {
      ASSERT_EQ(left[i], right[i]) << "round " << round << ", byte " << i << " of `exact`";
    }
  }
}

TEST(VecProbe, Avx2HasThePortableBits) {
  if (!detect_cpu_features().avx2) {
    GTEST_SKIP() << "no AVX2";
  }
  expect_same_as_portable(avx2_vec_probe);
}

TEST(VecProbe, Avx512HasThePortableBits) {
  if (!detect_cpu_features().avx512) {
    GTEST_SKIP() << "no AVX-512";
  }
  expect_same_as_portable(avx512_vec_probe);
}

float tree_sum(const float* a) {
  float eight[8];
  for (int i = 0; i < 8; ++i) {
    eight[i] = a[i] + a[i + 8];
  }
  const float four[] = {eight[0] + eight[4], eight[1] + eight[5], eight[2] + eight[6],
                        eight[3] + eight[7]};
  return (four[0] + four[2]) + (four[1] + four[3]);
}

TEST(VecProbe, PortableArithmeticIsTheDefinition) {
  Probes probes;
  for (int round = 0; round < 2000; ++round) {
    const VecProbe p = probes.next();
    const VecProbeResult found = run(portable_vec_probe, p);
    VecProbeResult expected = found;
    auto& r = expected.arithmetic;
    float largest = -std::numeric_limits<float>::infinity();
    bool nan = false;
    for (int i = 0; i < kLanes; ++i) {
      r.add[i] = p.a[i] + p.b[i];
      r.sub[i] = p.a[i] - p.b[i];
      r.mul[i] = p.a[i] * p.b[i];
      r.div[i] = p.a[i] / p.b[i];
      r.fma[i] = std::fma(p.a[i], p.b[i], p.c[i]);
      r.sqrt[i] = std::sqrt(p.a[i]);
      r.max[i] = p.a[i] > p.b[i] ? p.a[i] : p.b[i];
      r.exp[i] = exp_f32(p.a[i]);
      largest = std::fmax(largest, p.a[i]);
      nan = nan || std::isnan(p.a[i]);
    }
    r.reduce_sum = tree_sum(p.a);
    r.reduce_max = nan ? found.arithmetic.reduce_max : largest;
    ASSERT_NO_FATAL_FAILURE(expect_equal_arithmetic(expected, found)) << "round " << round;
  }
}

TEST(VecProbe, PortableConversionsAreTheDefinition) {
  Probes probes;
  for (int round = 0; round < 2000; ++round) {
    const VecProbe p = probes.next();
    const VecProbeResult::Exact e = run(portable_vec_probe, p).exact;
    for (int i = 0; i < kLanes; ++i) {
      const bool used = i < p.count;
      const uint32_t untouched = 0x01010101u * kUntouched;
      const auto untouched_half = static_cast<uint16_t>(untouched);
      ASSERT_EQ(bits(e.load_bf16[i]), bits(bf16_to_f32(p.bf16[i].bits)));
      ASSERT_EQ(bits(e.load_f16[i]), bits(f16_to_f32(p.f16[i].bits)));
      ASSERT_EQ(e.store_bf16[i].bits, f32_to_bf16(p.a[i]));
      ASSERT_EQ(e.store_f16[i].bits, f32_to_f16(p.a[i]));
      ASSERT_EQ(bits(e.load_partial_f32[i]), used ? bits(p.a[i]) : 0u);
      ASSERT_EQ(bits(e.load_partial_bf16[i]), used ? bits(e.load_bf16[i]) : 0u);
      ASSERT_EQ(bits(e.load_partial_f16[i]), used ? bits(e.load_f16[i]) : 0u);
      ASSERT_EQ(bits(e.store_partial_f32[i]), used ? bits(p.a[i]) : untouched);
      ASSERT_EQ(e.store_partial_bf16[i].bits, used ? e.store_bf16[i].bits : untouched_half);
      ASSERT_EQ(e.store_partial_f16[i].bits, used ? e.store_f16[i].bits : untouched_half);
      ASSERT_EQ(bits(e.abs[i]), bits(p.a[i]) & 0x7fffffffu);
      ASSERT_EQ(bits(e.select_less[i]), bits(p.a[i] < p.b[i] ? p.c[i] : p.a[3]));
      ASSERT_EQ(bits(e.select_nan[i]), bits(std::isnan(p.a[i]) ? p.b[i] : p.c[i]));
      ASSERT_EQ(bits(e.select_first[i]), used ? bits(p.a[i]) : 0u);
    }
  }
}

TEST(VecProbe, PortableIntegersAreTheDefinition) {
  Probes probes;
  for (int round = 0; round < 2000; ++round) {
    const VecProbe p = probes.next();
    const VecProbeResult::Exact e = run(portable_vec_probe, p).exact;
    uint32_t sum = 0;
    int32_t largest = p.i[0];
    for (int i = 0; i < kLanes; ++i) {
      const auto x = static_cast<uint32_t>(p.i[i]);
      const auto y = static_cast<uint32_t>(p.j[i]);
      const double nearest = std::nearbyint(static_cast<double>(p.a[i]));
      const bool fits = nearest >= -0x1p31 && nearest < 0x1p31;
      ASSERT_EQ(static_cast<uint32_t>(e.bits[i]), bits(p.a[i]));
      ASSERT_EQ(static_cast<uint32_t>(e.add_i32[i]), x + y);
      ASSERT_EQ(static_cast<uint32_t>(e.mul_i32[i]), x * y);
      ASSERT_EQ(e.max_i32[i], std::max(p.i[i], p.j[0]));
      ASSERT_EQ(static_cast<uint32_t>(e.shift_left_23[i]), x << 23);
      ASSERT_EQ(e.round_to_i32[i], fits ? static_cast<int32_t>(nearest) : INT32_MIN) << p.a[i];
      ASSERT_EQ(e.to_float[i], static_cast<float>(p.i[i]));
      ASSERT_EQ(e.store_i8[i], std::max(-128, std::min(127, p.i[i])));
      sum += x;
      largest = std::max(largest, p.i[i]);
    }
    ASSERT_EQ(static_cast<uint32_t>(e.reduce_sum_i32), sum);
    ASSERT_EQ(e.reduce_max_i32, largest);
  }
}

TEST(VecProbe, HalfPrecisionOfAllValues) {
  for (uint32_t first = 0; first < 0x10000; first += kLanes) {
    VecProbe p = {};
    for (uint32_t i = 0; i < kLanes; ++i) {
      p.f16[i] = {static_cast<uint16_t>(first + i)};
      p.a[i] = f16_to_f32(p.f16[i].bits);
    }
    for (ProbeFunction function : supported_probes()) {
      const VecProbeResult::Exact e = run(function, p).exact;
      for (int i = 0; i < kLanes; ++i) {
        ASSERT_EQ(bits(e.load_f16[i]), bits(p.a[i]));
        if (!std::isnan(p.a[i])) {
          ASSERT_EQ(e.store_f16[i].bits, p.f16[i].bits);
        }
      }
    }
  }
}

// The vector exp over a fine sweep of its whole range, on each instruction set.
TEST(VecProbe, ExpHasTheScalarBits) {
  const std::vector<ProbeFunction> functions = supported_probes();
  constexpr uint32_t kStep = 20011;  // a prime: about 215,000 of all 2^32 floats
  for (uint64_t first = 0; first < 0x100000000u; first += uint64_t{kStep} * kLanes) {
    VecProbe p = {};
    for (uint32_t i = 0; i < kLanes; ++i) {
      p.a[i] = std::bit_cast<float>(static_cast<uint32_t>(first + uint64_t{i} * kStep));
    }
    for (ProbeFunction function : functions) {
      const VecProbeResult found = run(function, p);
      for (int i = 0; i < kLanes; ++i) {
        ASSERT_EQ(bits(found.arithmetic.exp[i]), bits(exp_f32(p.a[i]))) << p.a[i];
      }
    }
  }
}

}  // namespace
}  // namespace invar::cpu

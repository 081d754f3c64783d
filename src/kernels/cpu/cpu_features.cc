// CPUID, read through the compiler's own means.
#include "kernels/cpu/cpu_features.h"

#include <cpuid.h>

#include <array>
#include <cstring>

namespace invar::cpu {

CpuFeatures detect_cpu_features() {
  __builtin_cpu_init();
  CpuFeatures features;
  features.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  features.avx512 = features.avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
  return features;
}

std::string processor_name() {
  constexpr unsigned kFirstLeaf = 0x80000002u;  // three leaves of 16 characters
  std::array<unsigned, 12> words = {};
  for (unsigned leaf = 0; leaf < 3; ++leaf) {
    unsigned* part = words.data() + leaf * 4;
    if (__get_cpuid(kFirstLeaf + leaf, &part[0], &part[1], &part[2], &part[3]) == 0) {
      return "unknown processor";
    }
  }
  std::array<char, sizeof(words) + 1> text = {};
  std::memcpy(text.data(), words.data(), sizeof(words));
  const std::string name(text.data());
  const size_t begin = name.find_first_not_of(' ');
  if (begin == std::string::npos) {
    return "unknown processor";
  }
  return name.substr(begin, name.find_last_not_of(' ') - begin + 1);
}

}  // namespace invar::cpu

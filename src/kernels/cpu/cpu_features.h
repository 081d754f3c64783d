// What this processor can run: decides which instruction set's kernels may be called.
#pragma once

#include <string>

namespace invar::cpu {

// A set counts only if the operating system saves its registers.
struct CpuFeatures {
  bool avx2 = false;    // AVX2, FMA, F16C, BMI2
  bool avx512 = false;  // the above and AVX-512 F, BW, DQ, VL, VNNI
};
CpuFeatures detect_cpu_features();

// The processor's own name, as in "AMD EPYC 9B45 128-Core Processor". Printed with every measured
// figure, because machines of one kind can have different processors.
std::string processor_name();

}  // namespace invar::cpu

// The probe of the AVX2 vector type.
#include "kernels/cpu/vec_probe.h"

#include "kernels/cpu/vec_avx2.h"

namespace invar::cpu {

void avx2_vec_probe(const VecProbe& probe, VecProbeResult* result) {
  vec_probe<VecAvx2>(probe, result);
}

}  // namespace invar::cpu

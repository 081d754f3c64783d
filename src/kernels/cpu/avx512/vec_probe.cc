// The probe of the AVX-512 vector type.
#include "kernels/cpu/vec_probe.h"

#include "kernels/cpu/vec_avx512.h"

namespace invar::cpu {

void avx512_vec_probe(const VecProbe& probe, VecProbeResult* result) {
  vec_probe<VecAvx512>(probe, result);
}

}  // namespace invar::cpu

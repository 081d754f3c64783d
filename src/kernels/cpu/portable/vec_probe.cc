// The probe of the portable vector type.
#include "kernels/cpu/vec_probe.h"

#include "kernels/cpu/vec_portable.h"

namespace invar::cpu {

void portable_vec_probe(const VecProbe& probe, VecProbeResult* result) {
  vec_probe<VecPortable>(probe, result);
}

}  // namespace invar::cpu

// The CPU backend: each op once (one file an op in this folder), over the kernel table of one
// instruction set. Stateless after construction, so any number of threads may use it.
#pragma once

#include <string>

#include "backend/backend.h"
#include "kernels/cpu/kernel_table.h"

namespace invar {

class CpuBackend final : public Backend {
 public:
  // `kernels` must outlive the backend (tables are static).
  explicit CpuBackend(const cpu::KernelTable& kernels);

  std::string_view name() const override { return name_; }  // as in "cpu/avx512"

  using Backend::run;  // ops without an override below throw kUnsupported
  void run(const Stream& stream, const Add& op) const override;
  void run(const Stream& stream, const Attention& op) const override;
  void run(const Stream& stream, const CausalConv& op) const override;
  void run(const Stream& stream, const Copy& op) const override;
  void run(const Stream& stream, const DeltaGates& op) const override;
  void run(const Stream& stream, const DeltaRule& op) const override;
  void run(const Stream& stream, const DepthMix& op) const override;
  void run(const Stream& stream, const Embed& op) const override;
  void run(const Stream& stream, const ExpertLinear& op) const override;
  void run(const Stream& stream, const GatedRmsNorm& op) const override;
  void run(const Stream& stream, const GatherRows& op) const override;
  void run(const Stream& stream, const HeadLinear& op) const override;
  void run(const Stream& stream, const KvWrite& op) const override;
  void run(const Stream& stream, const Linear& op) const override;
  void run(const Stream& stream, const MoeCombine& op) const override;
  void run(const Stream& stream, const MoeRoute& op) const override;
  void run(const Stream& stream, const Mul& op) const override;
  void run(const Stream& stream, const QuantizeRows& op) const override;
  void run(const Stream& stream, const RmsNorm& op) const override;
  void run(const Stream& stream, const Rope& op) const override;
  void run(const Stream& stream, const SigmoidMul& op) const override;
  void run(const Stream& stream, const SituMul& op) const override;
  void run(const Stream& stream, const Ssd& op) const override;
  void run(const Stream& stream, const SiluMul& op) const override;

 private:
  const cpu::KernelTable& kernels_;
  std::string name_;
};

}  // namespace invar

// The reference backend: each op once (one file an op in this folder), scalar and written to be
// read. It is the mathematical definition that every other backend is tested against, so it
// accumulates in double; it has no numerics of its own to keep. All work is done by lane 0.
#pragma once

#include "backend/backend.h"

namespace invar {

class RefBackend final : public Backend {
 public:
  std::string_view name() const override { return "ref"; }

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
};

}  // namespace invar

// Residual attention over banks (Kimi K3): what a layer reads is a mixture of earlier residual sums
// and the running one, chosen by a softmax over depth.
//
//   BankedResidual residual(b, embedding, banks);
//   for each layer:
//     h = norm(residual.mix(attention_site));
//     if (the layer begins a bank) residual.bank();   // keeps the sum that came in, starts a new
//     one residual.become(attention(b, h, residual.running(), ...)); h =
//     norm(residual.mix(mlp_site)); residual.become(mlp(b, h, residual.running(), ...));
#pragma once

#include "program/builder.h"

namespace invar {

// Where layers read the residual: the weights of one mixture.
struct DepthMixSite {
  NormWeights norm;  // [hidden], of the sources that are scored
  TensorView query;  // [1, hidden]
};

class BankedResidual {
 public:
  // `banks`: how often bank() will be called, at least 1. The builder must outlive this.
  BankedResidual(Builder& b, Value embedding, int64_t banks);

  // The sum since the last bank; none right after bank().
  Value running() const { return running_; }
  void become(Value running) { running_ = running; }
  void bank();

  Value mix(const DepthMixSite& site) const;
  // The same of the rows whose logits are wanted, after the last layer.
  Value mix_logit_rows(const DepthMixSite& site) const;

 private:
  Builder& b_;
  Value banks_;
  Value running_;
  int64_t used_ = 0;
};

}  // namespace invar

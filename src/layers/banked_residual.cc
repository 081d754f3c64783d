// See banked_residual.h.
#include "layers/banked_residual.h"

#include "core/error.h"

namespace invar {

BankedResidual::BankedResidual(Builder& b, Value embedding, int64_t banks)
    : b_(b), banks_(b.space(embedding, banks * embedding.columns)), running_(embedding) {}

void BankedResidual::bank() {
  const int64_t width = running_.columns;
  INVAR_CHECK(running_ && (used_ + 1) * width <= banks_.columns, "bank {} of {} columns", used_,
              banks_.columns);
  b_.copy(running_, {.id = banks_.id, .first_column = used_ * width, .columns = width});
  used_ += 1;
  running_ = {};
}

Value BankedResidual::mix(const DepthMixSite& site) const {
  const Builder::DepthMixInputs inputs{.banks = used_ > 0 ? banks_ : Value{}, .running = running_};
  return b_.depth_mix(inputs, site.norm, site.query, used_);
}

Value BankedResidual::mix_logit_rows(const DepthMixSite& site) const {
  return b_.depth_mix(
      {.banks = b_.gather_logit_rows(banks_), .running = b_.gather_logit_rows(running_)}, site.norm,
      site.query, used_);
}

}  // namespace invar

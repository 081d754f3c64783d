// The definition of embed.
#include "backend/ops/embed.h"

#include "backend/ref/ref_backend.h"

namespace invar {

void RefBackend::run(const Stream& stream, const Embed& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const PackedMatrix& weight = *op.attributes.weight;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    const int64_t token = *op.token_ids.row<int32_t>(t);
    INVAR_CHECK(token >= 0 && token < weight.rows, "embed: token {} of {}", token, weight.rows);
    weight_format_info(weight.format).unpack_row(weight, token, op.out.row<float>(t));
  }
}

}  // namespace invar

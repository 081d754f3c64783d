// The definition of attention: a softmax over all keys of the row's past and the row itself, with
// no tiles.
#include "backend/ops/attention.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "backend/ops/kv_place.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"
#include "core/math.h"

namespace invar {
namespace {

// exp for arguments up to 0, as softmax takes them.
double exp_of_difference(double x) {
  return x < -700.0 ? 0.0 : exp_f64(x);
}

// One head of row t, which is in `segment`.
void attend(const Attention& op, int64_t segment, int64_t t, int64_t head) {
  const Attention::Attributes& a = op.attributes;
  const int64_t kv_head = head / (a.heads / a.kv_heads);
  const int64_t begin = kv_head * a.head_dim * kKvBlockRows;
  const int64_t keys = *op.positions.row<int32_t>(t) + int64_t{1};
  const float* q = op.q.row<float>(t) + head * a.head_dim;

  std::vector<double> weights(keys);
  double max = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < keys; ++j) {
    const KvPlace at = kv_place(op.block_table, segment, j, op.k_cache.rows);
    double product = 0.0;
    for (int64_t d = 0; d < a.head_dim; ++d) {
      product += q[d] * load_scalar(op.k_cache, at.kv_block, begin + d * kKvBlockRows + at.place);
    }
    weights[j] = product * a.scale;
    max = std::max(max, weights[j]);
  }
  double sum = 0.0;
  for (double& weight : weights) {
    weight = exp_of_difference(weight - max);
    sum += weight;
  }
  for (int64_t d = 0; d < a.value_dim; ++d) {
    double out = 0.0;
    for (int64_t j = 0; j < keys; ++j) {
      const KvPlace at = kv_place(op.block_table, segment, j, op.k_cache.rows);
      const double value =
          op.v_cache ? load_scalar(op.v_cache, at.kv_block, begin + at.place * a.head_dim + d)
                     : load_scalar(op.k_cache, at.kv_block, begin + d * kKvBlockRows + at.place);
      out += weights[j] * value;
    }
    store_scalar(op.out, t, head * a.value_dim + d, out / sum);
  }
}

}  // namespace

void RefBackend::run(const Stream& stream, const Attention& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    for (int64_t t = *op.cu_rows.row<int32_t>(segment); t < *op.cu_rows.row<int32_t>(segment + 1);
         ++t) {
      for (int64_t head = 0; head < op.attributes.heads; ++head) {
        attend(op, segment, t, head);
      }
    }
  }
}

}  // namespace invar

// The definition of delta_rule: the plain recurrence, row after row.
#include "backend/ops/delta_rule.h"

#include <vector>

#include "backend/ops/chunk_place.h"
#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {
namespace {

// One value head in one chunk.
class DeltaRuleHead {
 public:
  DeltaRuleHead(const DeltaRule& op, const ChunkPiece& piece, int64_t head)
      : op_(op),
        a_(op.attributes),
        piece_(piece),
        head_(head),
        row_begin_(head * delta_rule_row_columns(a_) / a_.value_heads * kChunkRows),
        state_(a_.key_dim * a_.value_dim, 0.0),
        gamma_(a_.key_dim, 0.0) {}

  void run() {
    for (int64_t i = 0; piece_.page >= 0 && i < static_cast<int64_t>(state_.size()); ++i) {
      state_[i] = load_scalar(op_.pages, piece_.page, page_begin() + i);
    }
    for (int64_t place = 0; place < piece_.place; ++place) {
      repeat(place);
    }
    for (int64_t t = piece_.begin; t < piece_.end; ++t) {
      step(t, piece_.place + t - piece_.begin);
    }
    for (int64_t i = 0; piece_.next_page >= 0 && i < static_cast<int64_t>(state_.size()); ++i) {
      store_scalar(op_.pages, piece_.next_page, page_begin() + i, state_[i]);
    }
  }

 private:
  int64_t page_begin() const { return head_ * a_.key_dim * a_.value_dim; }
  int64_t k_column(int64_t place, int64_t i) const { return row_begin_ + i * kChunkRows + place; }
  int64_t u_column(int64_t place, int64_t d) const {
    return row_begin_ + a_.key_dim * kChunkRows + place * a_.value_dim + d;
  }
  int64_t gamma_column(int64_t place, int64_t i) const {
    return row_begin_ + (a_.key_dim + a_.value_dim + (a_.channel_decay ? i : 0)) * kChunkRows +
           place;
  }

  void decay(int64_t i, double log_decay) {
    gamma_[i] += log_decay;
    for (int64_t d = 0; d < a_.value_dim; ++d) {
      state_[i * a_.value_dim + d] *= exp_clamped_f64(log_decay);
    }
  }

  // A row of an earlier pass, as it was kept.
  void repeat(int64_t place) {
    for (int64_t i = 0; i < a_.key_dim; ++i) {
      decay(i, load_scalar(op_.rows, piece_.row_block, gamma_column(place, i)) - gamma_[i]);
      const double k = load_scalar(op_.rows, piece_.row_block, k_column(place, i));
      for (int64_t d = 0; d < a_.value_dim; ++d) {
        state_[i * a_.value_dim + d] +=
            k * load_scalar(op_.rows, piece_.row_block, u_column(place, d));
      }
    }
  }

  std::vector<double> normalised(const TensorView& view, int64_t t) const {
    const int64_t begin = delta_rule_key_head(a_, head_) * a_.key_dim;
    std::vector<double> x;
    double sum = a_.l2_eps;
    for (int64_t i = 0; i < a_.key_dim; ++i) {
      x.push_back(load_scalar(view, t, begin + i));
      sum += x.back() * x.back();
    }
    for (double& each : x) {
      each /= __builtin_sqrt(sum);
    }
    return x;
  }

  void step(int64_t t, int64_t place) {
    const std::vector<double> k = normalised(op_.k, t);
    const std::vector<double> q = normalised(op_.q, t);
    for (int64_t i = 0; i < a_.key_dim; ++i) {
      decay(i, load_scalar(op_.log_decay, t, a_.channel_decay ? head_ * a_.key_dim + i : head_));
      store_scalar(op_.rows, piece_.row_block, k_column(place, i), k[i]);
      store_scalar(op_.rows, piece_.row_block, gamma_column(place, i), gamma_[i]);
    }
    for (int64_t d = 0; d < a_.value_dim; ++d) {
      double known = 0.0;
      for (int64_t i = 0; i < a_.key_dim; ++i) {
        known += k[i] * state_[i * a_.value_dim + d];
      }
      const double u = load_scalar(op_.beta, t, head_) *
                       (load_scalar(op_.v, t, head_ * a_.value_dim + d) - known);
      store_scalar(op_.rows, piece_.row_block, u_column(place, d), u);
      double out = 0.0;
      for (int64_t i = 0; i < a_.key_dim; ++i) {
        state_[i * a_.value_dim + d] += k[i] * u;
        out += q[i] * state_[i * a_.value_dim + d];
      }
      store_scalar(op_.out, t, head_ * a_.value_dim + d, out * a_.scale);
    }
  }

  const DeltaRule& op_;
  const DeltaRuleAttributes& a_;
  const ChunkPiece piece_;
  int64_t head_;
  int64_t row_begin_;
  std::vector<double> state_;  // [key_dim][value_dim]
  std::vector<double> gamma_;
};

}  // namespace

void RefBackend::run(const Stream& stream, const DeltaRule& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    for_each_chunk(op, segment, [&](const ChunkPiece& piece) {
      for (int64_t head = 0; head < op.attributes.value_heads; ++head) {
        DeltaRuleHead(op, piece, head).run();
      }
    });
  }
}

}  // namespace invar

// The definition of ssd: the plain recurrence, row after row.
#include "backend/ops/ssd.h"

#include <algorithm>
#include <vector>

#include "backend/ops/chunk_place.h"
#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"
#include "core/math.h"

namespace invar {
namespace {

// One head in one chunk.
class SsdHead {
 public:
  SsdHead(const Ssd& op, const ChunkPiece& piece, int64_t head)
      : op_(op),
        a_(op.attributes),
        piece_(piece),
        head_(head),
        together_(ssd_heads_together(a_)),
        state_(a_.state_size * a_.head_dim, 0.0) {
    const int64_t columns = a_.state_size + together_ * (a_.head_dim + 1);
    b_begin_ = head / together_ * columns * kChunkRows;
    x_begin_ = b_begin_ + (a_.state_size + head % together_ * a_.head_dim) * kChunkRows;
    gamma_begin_ =
        b_begin_ + (a_.state_size + together_ * a_.head_dim + head % together_) * kChunkRows;
  }

  void run() {
    const int64_t page_begin = head_ * a_.state_size * a_.head_dim;
    const auto count = static_cast<int64_t>(state_.size());
    for (int64_t i = 0; piece_.page >= 0 && i < count; ++i) {
      state_[i] = load_scalar(op_.pages, piece_.page, page_begin + i);
    }
    for (int64_t place = 0; place < piece_.place; ++place) {
      add(kept(gamma_begin_ + place) - gamma_, place);
    }
    for (int64_t t = piece_.begin; t < piece_.end; ++t) {
      step(t, piece_.place + t - piece_.begin);
    }
    for (int64_t i = 0; piece_.next_page >= 0 && i < count; ++i) {
      store_scalar(op_.pages, piece_.next_page, page_begin + i, state_[i]);
    }
  }

 private:
  double kept(int64_t column) const { return load_scalar(op_.rows, piece_.row_block, column); }
  void keep(int64_t column, double value) {
    store_scalar(op_.rows, piece_.row_block, column, value);
  }

  // Decays the state and adds the row kept at `place`.
  void add(double log_decay, int64_t place) {
    gamma_ += log_decay;
    const double left = exp_clamped_f64(log_decay);
    for (int64_t n = 0; n < a_.state_size; ++n) {
      const double b = kept(b_begin_ + n * kChunkRows + place);
      for (int64_t d = 0; d < a_.head_dim; ++d) {
        double& value = state_[n * a_.head_dim + d];
        value = value * left + b * kept(x_begin_ + place * a_.head_dim + d);
      }
    }
  }

  void step(int64_t t, int64_t place) {
    const int64_t group = head_ / (a_.heads / a_.groups);
    const double raw = load_scalar(op_.dt, t, head_) + load_scalar(op_.dt_bias, 0, head_);
    const double dt = std::min<double>(std::max<double>(softplus_f64(raw), a_.dt_min), a_.dt_max);
    const double log_decay =
        std::max<double>(-exp_clamped_f64(load_scalar(op_.a_log, 0, head_)) * dt, kLogDecayMin);
    keep(gamma_begin_ + place, gamma_ + log_decay);
    for (int64_t n = 0; n < a_.state_size; ++n) {
      keep(b_begin_ + n * kChunkRows + place, load_scalar(op_.b, t, group * a_.state_size + n));
    }
    for (int64_t d = 0; d < a_.head_dim; ++d) {
      keep(x_begin_ + place * a_.head_dim + d, dt * load_scalar(op_.x, t, head_ * a_.head_dim + d));
    }
    add(log_decay, place);
    for (int64_t d = 0; d < a_.head_dim; ++d) {
      double y = load_scalar(op_.d, 0, head_) * load_scalar(op_.x, t, head_ * a_.head_dim + d);
      for (int64_t n = 0; n < a_.state_size; ++n) {
        y += load_scalar(op_.c, t, group * a_.state_size + n) * state_[n * a_.head_dim + d];
      }
      store_scalar(op_.out, t, head_ * a_.head_dim + d, y);
    }
  }

  const Ssd& op_;
  const SsdAttributes& a_;
  const ChunkPiece piece_;
  int64_t head_;
  int64_t together_;
  int64_t b_begin_ = 0;
  int64_t x_begin_ = 0;
  int64_t gamma_begin_ = 0;
  std::vector<double> state_;  // [state_size][head_dim]
  double gamma_ = 0.0;
};

}  // namespace

void RefBackend::run(const Stream& stream, const Ssd& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    for_each_chunk(op, segment, [&](const ChunkPiece& piece) {
      for (int64_t head = 0; head < op.attributes.heads; ++head) {
        SsdHead(op, piece, head).run();
      }
    });
  }
}

}  // namespace invar

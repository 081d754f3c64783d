// The kernels of one instruction set as plain function pointers, and the argument structs they
// take. Kernels know raw pointers and sizes only; shapes were checked by the op's validate.
//
// All tables give equal bits (docs/numerics.md). Strides are in bytes from one row to the next.
// A kernel computes what its arguments say on the calling thread; the backend splits the work.
#pragma once

#include <cstdint>

#include "kernels/cpu/element.h"
#include "kernels/cpu/linear.h"

namespace invar::cpu {

// out[i] = a[i] + b[i]; out may be a or b.
struct AddKernel {
  const float* a;
  const float* b;
  float* out;
  int64_t count;
};

// out[i] = (gate[i] / (1 + exp(-gate[i]))) * up[i]
struct SiluMulKernel {
  const float* gate;
  const float* up;
  void* out;
  Element out_element;  // kF32 or kBF16
  int64_t count;
};

// Each of `rows` rows of `dim` columns, normalised and weighted; out may be x if it is f32.
struct RmsNormKernel {
  const float* x;
  int64_t x_stride;
  const float* weight;  // [dim]
  void* out;
  int64_t out_stride;
  Element out_element;  // kF32 or kBF16
  int64_t rows;
  int64_t dim;
  float eps;
};

// The heads of one row, rotated in place. Head h's first column to rotate is x + h * head_dim.
struct RopeKernel {
  float* x;
  const float* cos;  // [half]
  const float* sin;  // [half]
  int64_t heads;
  int64_t head_dim;  // at least 2 * half
  int64_t half;
};

// One row of `groups` groups of 32 values.
struct QuantizeRowKernel {
  const float* x;
  int8_t* q;       // [groups * 32]
  float* scale;    // [groups]
  int16_t* q_sum;  // [groups * 2], of 16 values each
  int64_t groups;
};

// One head of one row into its kv_block: keys with a stride of 64 elements, values side by side.
struct KvWriteKernel {
  const float* k;  // [head_dim]
  const float* v;  // [head_dim]; null: there are none
  void* k_cache;   // element (0, place) of the head's [head_dim][64]
  void* v_cache;   // element (place, 0) of the head's [64][head_dim]
  Element cache_element;
  int64_t head_dim;
};

// out[i] = a[i] * b[i]
struct MulKernel {
  const float* a;
  const float* b;
  void* out;
  Element out_element;  // kF32 or kBF16
  int64_t count;
};

// out[i] = addend[i] + x[i] / (1 + exp(-gate[i])); without the addend if it is null.
struct SigmoidMulKernel {
  const float* x;
  const float* gate;
  bool gate_per_row;  // gate[0] holds for all columns
  const float* addend;
  void* out;
  Element out_element;  // kF32 or kBF16
  int64_t count;
};

// Channels of one row: the sum over the taps, after which the newest input is kept.
struct CausalConvKernel {
  static constexpr int kTapsMax = 16;

  const float* x[kTapsMax];  // [count] each, the oldest input first
  const float* weight;       // [taps][count]
  int64_t weight_stride;
  const float* bias;  // [count] or null
  float* kept;        // [count]
  float* out;         // [count]
  int taps;
  bool silu;
  int64_t count;
};

// Decay and write strength for one row; see backend/ops/delta_gates.h.
struct DeltaGatesKernel {
  const float* a;        // [heads * width]
  const float* b;        // [heads]
  const float* a_log;    // [heads]
  const float* dt_bias;  // [heads * width]
  float* log_decay;      // [heads * width]
  float* beta;           // [heads]
  int64_t heads;
  int64_t width;
  bool bounded;
  float lower_bound;
};

// One group of columns; see backend/ops/gated_rms_norm.h.
struct GatedRmsNormKernel {
  const float* x;
  const float* gate;
  const float* weight;
  void* out;
  Element out_element;  // kF32 or kBF16
  int64_t dim;
  float eps;
  bool gate_first;
  bool silu;
};

// Rows of one chunk for one value head; see backend/ops/delta_rule.h.
struct DeltaRuleKernel {
  static constexpr int64_t kDimMax = 256;

  const float* q;          // [key_dim] a row
  const float* k;          // [key_dim] a row
  const float* v;          // [value_dim] a row
  const float* log_decay;  // [1] or [key_dim] a row
  const float* beta;       // [1] a row
  float* out;              // [value_dim] a row
  int64_t q_stride;
  int64_t k_stride;
  int64_t v_stride;
  int64_t decay_stride;
  int64_t beta_stride;
  int64_t out_stride;
  int64_t rows;
  int64_t place;      // of the first row in the chunk
  const float* page;  // [key_dim][value_dim]; null: zeros
  float* next_page;   // the same; null unless the rows end the chunk
  float* k_rows;      // [key_dim][64]
  float* u_rows;      // [64][value_dim]
  float* gamma_rows;  // [64] or [key_dim][64]
  int64_t key_dim;    // multiples of 16, at most kDimMax
  int64_t value_dim;
  bool channel_decay;
  float l2_eps;
  float scale;
};

// out[i] = (beta * tanh(gate[i] / beta)) * sigmoid(gate[i]) * (linear_beta * tanh(up[i] /
// linear_beta)), where linear_beta 0 leaves up as it is.
struct SituMulKernel {
  const float* gate;
  const float* up;
  void* out;
  Element out_element;  // kF32 or kBF16
  int64_t count;
  float beta;
  float linear_beta;
};

// One row; see backend/ops/depth_mix.h.
struct DepthMixKernel {
  static constexpr int kSourcesMax = 32;

  const float* source[kSourcesMax];  // [width] each
  int sources;                       // at least 1
  const float* norm_weight;          // [width]
  const float* query;                // [width]
  float* out;                        // [width]
  int64_t width;
  float eps;
};

// Scores of one row's experts: the sigmoid of each logit, or the softmax of all.
struct MoeScoresKernel {
  const float* logits;  // [experts]
  float* scores;        // [experts]
  int64_t experts;
  bool sigmoid;
};

// out[i] = addend[i] + sum_j weights[j] * y[j][i]; without the addend if it is null.
struct MoeCombineKernel {
  const float* y;  // [count] a term
  int64_t y_stride;
  const float* weights;  // [terms]
  int64_t terms;
  const float* addend;
  void* out;
  Element out_element;  // kF32 or kBF16
  int64_t count;
};

// Rows of one chunk for a few heads of one group; see backend/ops/ssd.h.
struct SsdKernel {
  static constexpr int64_t kDimMax = 256;

  const float* x;        // [heads * head_dim] a row
  const float* b;        // [state_size] a row
  const float* c;        // [state_size] a row
  const float* dt;       // [heads] a row
  const float* dt_bias;  // [heads]
  const float* a_log;    // [heads]
  const float* d;        // [heads]
  float* out;            // [heads * head_dim] a row
  int64_t x_stride;
  int64_t b_stride;
  int64_t c_stride;
  int64_t dt_stride;
  int64_t out_stride;
  int64_t rows;
  int64_t place;       // of the first row in the chunk
  const float* page;   // [heads][state_size][head_dim]; null: zeros
  float* next_page;    // the same; null unless the rows end the chunk
  float* b_rows;       // [state_size][64]
  float* x_rows;       // [heads][64][head_dim], times dt
  float* gamma_rows;   // [heads][64]
  int64_t heads;       // at most 16
  int64_t state_size;  // multiples of 16, at most kDimMax
  int64_t head_dim;
  float dt_min;
  float dt_max;
};

// Query vectors that read one kv head of one sequence, computed together so that keys and values
// are loaded once. No result depends on which vectors are together.
struct AttentionKernel {
  static constexpr int kQueriesMax = 16;
  static constexpr int64_t kHeadDimMax = 640;
  // Where values have a cache of their own.
  static constexpr int kOwnQueriesMax = 8;
  static constexpr int64_t kOwnHeadDimMax = 256;

  int queries;                    // 1..kQueriesMax
  const float* q[kQueriesMax];    // [head_dim] each
  void* out[kQueriesMax];         // [value_dim] each
  int32_t position[kQueriesMax];  // ascending; query i sees the keys 0..position[i]
  Element out_element;            // kF32 or kBF16
  Element cache_element;
  const void* k_cache;  // kv_block 0, this kv head: [head_dim][64]
  const void* v_cache;  // the same: [64][head_dim]; null: the first value_dim of [head_dim][64]
  int64_t k_stride;     // from one kv_block to the next
  int64_t v_stride;
  const int32_t* block_table;  // kv_block of each 64 positions
  int64_t head_dim;            // a multiple of 16, at most kHeadDimMax
  int64_t value_dim;           // a multiple of 16, at most head_dim
  float scale;
  bool cold;  // keys and values are likely in no cache: ask for them ahead
};

struct KernelTable {
  const char* isa;  // "portable", "avx2", "avx512"
  void (*add)(const AddKernel&);
  void (*attention)(const AttentionKernel&);
  void (*causal_conv)(const CausalConvKernel&);
  void (*delta_gates)(const DeltaGatesKernel&);
  void (*delta_rule)(const DeltaRuleKernel&);
  void (*depth_mix)(const DepthMixKernel&);
  void (*gated_rms_norm)(const GatedRmsNormKernel&);
  void (*kv_write)(const KvWriteKernel&);
  const LinearKernels& (*linear)();
  void (*moe_combine)(const MoeCombineKernel&);
  void (*moe_scores)(const MoeScoresKernel&);
  void (*mul)(const MulKernel&);
  void (*quantize_row)(const QuantizeRowKernel&);
  void (*rms_norm)(const RmsNormKernel&);
  void (*rope)(const RopeKernel&);
  void (*sigmoid_mul)(const SigmoidMulKernel&);
  void (*silu_mul)(const SiluMulKernel&);
  void (*situ_mul)(const SituMulKernel&);
  void (*ssd)(const SsdKernel&);
};

// One per folder; call only what detect_cpu_features allows.
const KernelTable& portable_kernels();
const KernelTable& avx2_kernels();
const KernelTable& avx512_kernels();

}  // namespace invar::cpu

// A model's weights in memory: matrices packed for compute, norms and biases as f32.
//
// Families ask for tensors by name while they build their program; what they get is stable at once.
// `finish` then packs everything (all threads), drops the file's pages, and refuses a checkpoint
// that lacks a tensor or has one that nobody asked for, all of them in one message.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/anonymous_memory.h"
#include "core/tensor_view.h"
#include "core/thread_team.h"
#include "kernels/weight_format.h"
#include "weights/head_matrices.h"
#include "weights/tensor_source.h"

namespace invar {

// How rows of a source tensor become output rows: output row `row` is stored row stored_row(row).
// Empty: as stored.
struct RowOrder {
  std::function<int64_t(int64_t row)> stored_row = {};
};

// GGUF's llama order: in each head of `head_rows` rows rotary pairs stand side by side; this puts
// them back, out[j * half + i] = stored[2 * i + j].
RowOrder paired_heads(int64_t head_rows);

// Groups of rows stored as [part 0 | part 1 | ...] per group, wanted part by part over all groups
// (q and gate of each head; q, k, v, z of each key head). `part_rows` are the rows of each part in
// one group.
RowOrder ungrouped(int64_t groups, std::vector<int64_t> part_rows);

struct TensorRequest {
  std::string name;
  int64_t rows = 0;  // of a vector: its length
  RowOrder order = {};
  float plus = 0;          // added to each element of a vector (norms stored as weight - 1)
  bool minus_exp = false;  // elements of a vector are stored as -exp(x) (GGUF's ssm_a)
  int64_t zero_rows = 0;   // of a matrix: rows of zeros behind those of the tensor
  // Where `slices` is not 0 the tensor is [slices, rows, columns] and the request is for one of
  // them (experts stored together). Whoever asks for any asks for all.
  int64_t slices = 0;
  int64_t slice = 0;
};

// What the weights live in: owned by the model, immutable once loaded. Addresses are stable.
struct WeightMemory {
  std::deque<PackedMatrix> matrices;
  std::deque<AnonymousMemory> buffers;
};

// Called between tensors with bytes done and bytes in all.
using LoadProgress = std::function<void(int64_t done_bytes, int64_t total_bytes)>;

// Used while a model is loaded. Not thread-safe; source and memory must outlive it.
class WeightStore {
 public:
  struct Options {
    bool metadata_only = false;  // plan: shapes are checked, no matrix is allocated or read
  };
  WeightStore(const TensorSource& source, WeightMemory& memory, Options options);

  bool has(std::string_view name) const { return source_.find(name) != nullptr; }
  const TensorSource& source() const { return source_; }

  // The tensors' rows one after the other as one matrix [sum of rows, columns]; tensors of
  // different types refuse the checkpoint (see same_type). Asking again for the same names gives
  // the same matrix.
  const PackedMatrix* matrix(std::span<const TensorRequest> parts, int64_t columns);
  const PackedMatrix* matrix(const TensorRequest& part, int64_t columns) {
    return matrix({&part, 1}, columns);
  }
  // A vector (or several, one after the other) as [1, sum of lengths] f32.
  TensorView vector(std::span<const TensorRequest> parts);
  TensorView vector(const TensorRequest& part) { return vector({&part, 1}); }

  // A vector that may be stored with further axes of one element, or with zeros behind it, as [1,
  // 1, length, 1] or [more]. Anything but zeros there is a problem that finish() reports.
  TensorView flat_vector(const std::string& name, int64_t length);

  // [heads * padded outputs, inputs], head after head; kUnsupported unless F32, F16 or BF16.
  const PackedMatrix* head_matrices(const HeadMatricesRequest& request);

  // Depthwise convolutions, stored [channels, 1, taps] or [channels, taps], one after the other by
  // channel, as [taps, sum of channels] f32. `rows` of a part are its channels.
  TensorView convolution(std::span<const TensorRequest> parts, int64_t taps);

  // False if either is missing.
  bool same_type(std::string_view a, std::string_view b) const;
  // Rows of a matrix in the file, for sizes that a configuration does not state; 0 if missing.
  int64_t stored_rows(std::string_view name) const;

  // Tensors that a family knows and does not need.
  void ignore(std::string_view name) { used_.insert(std::string(name)); }
  // All whose names begin so; says how many.
  int64_t ignore_all(std::string_view prefix);

  void finish(ThreadTeam& team, const LoadProgress& progress);

  int64_t weight_bytes() const { return weight_bytes_; }

 private:
  struct Part {
    const SourceTensor* tensor;
    TensorRequest request;
  };
  struct PendingMatrix {
    PackedMatrix* matrix;
    std::vector<Part> parts;
  };

  // How many axes of [slices, rows, columns] the stored tensor does not have.
  int axes_left_out(const TensorRequest& request) const;
  static int64_t part_rows(const Part& part) { return part.request.rows + part.request.zero_rows; }
  struct PendingHeads {
    PackedMatrix* matrix;
    const SourceTensor* tensor;
    HeadMatricesRequest request;
  };

  const SourceTensor* take(const TensorRequest& request, std::span<const int64_t> shape);
  void pack(const PendingMatrix& pending, ThreadTeam& team);
  void pack_heads(ThreadTeam& team);
  void report(const std::string& tensor, std::string what);
  void refuse_problems();

  const TensorSource& source_;
  WeightMemory& memory_;
  Options options_;
  std::map<std::string, const PackedMatrix*, std::less<>> by_names_;
  std::map<std::string, TensorView, std::less<>> vectors_by_names_;
  std::vector<PendingMatrix> pending_;
  std::vector<PendingHeads> pending_heads_;
  std::set<std::string, std::less<>> used_;
  // What is wrong with tensors, as a message goes on behind a name, each with the tensors' names.
  struct Problem {
    std::string what;
    std::vector<std::string> tensors;
  };
  std::vector<Problem> problems_;
  std::map<std::string, size_t, std::less<>> problem_of_;  // by what
  int64_t weight_bytes_ = 0;
};

}  // namespace invar

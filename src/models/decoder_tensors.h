// What every decoder family does with its checkpoint: spell a tensor's name in either format, load
// norms, matrices and projections by it, tie the head, and choose the context.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "layers/grouped_query_attention.h"
#include "layers/swiglu_mlp.h"
#include "models/family.h"

namespace invar {

// A tensor's name without its suffix (".weight"); `{}` is the layer. Hugging Face's is that of a
// checkpoint of text alone.
struct TensorName {
  std::string_view hf;
  std::string_view gguf;
};

struct MatrixShape {
  int64_t rows = 0;
  int64_t columns = 0;
};

// Requests tensors of one checkpoint for one program. The references must outlive it.
class DecoderTensors {
 public:
  DecoderTensors(FamilyInput& input, FamilyOutput& output)
      : store_(input.weights),
        output_(output),
        eps_(output.config.rms_norm_eps),
        prefixes_(input.prefixes) {}

  bool is_gguf() const { return store_.source().is_gguf(); }
  WeightStore& store() { return store_; }
  // With the checkpoint's prefix in place of that of a checkpoint of text alone.
  std::string prefixed(std::string name) const;
  std::string name(TensorName tensor, int layer, std::string_view suffix = ".weight") const;
  bool has(TensorName tensor, int layer) const { return store_.has(name(tensor, layer)); }

  // `plus`: 1 where the checkpoint stores weight - 1.
  NormWeights norm(TensorName tensor, int layer, int64_t width, float plus = 0);
  LinearWeights matrix(TensorName tensor, int layer, MatrixShape shape, bool bias = false);
  ProjectionRequest source(TensorName tensor, int layer, int64_t rows, bool bias = false,
                           RowOrder order = {}) const;
  // `what` and the layer name the product in plans.
  Projection projection(std::string_view what, int layer,
                        std::span<const ProjectionRequest> sources, int64_t columns);

  // The head: `embedding` itself where the configuration ties them.
  LinearWeights head(TensorName tensor, const LinearWeights& embedding);

  // A table for the model's context, kept by the output, with the configuration's sections. GGUF's
  // rope_freqs.weight is honoured.
  RopeWeights rope(int64_t rotary_columns);

  struct MlpNames {
    TensorName norm;
    TensorName gate;
    TensorName up;
    TensorName down;
    float norm_plus = 0;  // 1 where the norm is stored as weight - 1
  };
  SwigluMlp mlp(const MlpNames& names, int layer, int64_t intermediate_size, bool bias = false);

 private:
  WeightStore& store_;
  FamilyOutput& output_;
  float eps_;
  TensorPrefixes prefixes_;
};

// GGUF: the vocabulary's size and whether the head is tied follow from the tensors. Then the
// context: as asked, or the default; kBadArgument beyond max_position_embeddings.
FamilyOutput start_output(const FamilyInput& input, ModelConfig config);

// kUnsupported if part of a head's columns does not rotate.
void require_full_rotation(const FamilyInput& input, const ModelConfig& config);

// kBadFile if the file's counts of key-value heads leave a layer without attention: for families
// whose layers all have it.
void require_attention_everywhere(const FamilyInput& input, const ModelConfig& config);

// 1 / sqrt(head_dim).
float attention_scale(int64_t head_dim);

}  // namespace invar

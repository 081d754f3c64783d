// embed: rows of the embedding matrix, chosen by token id.
//   out[t, :] = f32(weight[token_ids[t], :])
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"
#include "kernels/weight_format.h"

namespace invar {

struct EmbedAttributes {
  const PackedMatrix* weight = nullptr;  // [vocabulary, hidden]
};

template <class T>
struct EmbedArgs {
  static constexpr const char* kName = "embed";
  using Attributes = EmbedAttributes;

  T token_ids;  // [rows, 1] i32, each in [0, vocabulary)
  T out;        // [rows, hidden] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("token_ids", Use::kRead, args.token_ids...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Embed = EmbedArgs<TensorView>;

void validate(const Embed& op);
Cost cost(const Embed& op);

}  // namespace invar

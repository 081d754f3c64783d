// See expert_tensors.h.
#include "models/expert_tensors.h"

#include <fmt/format.h>

#include <array>

#include "core/error.h"

namespace invar {
namespace {

constexpr std::string_view kGgufGate = "blk.{}.ffn_gate_exps.weight";
constexpr std::string_view kGgufUp = "blk.{}.ffn_up_exps.weight";
constexpr std::string_view kGgufDown = "blk.{}.ffn_down_exps.weight";

// The requests of one expert: one for each tensor that its rows come from.
using Sources = std::vector<TensorRequest>;

class ExpertLoader {
 public:
  ExpertLoader(DecoderTensors& tensors, const ExpertNames& names, int layer,
               const ExpertSizes& sizes)
      : tensors_(tensors), names_(names), layer_(layer), sizes_(sizes) {}

  Experts load() {
    Experts experts{.count = sizes_.experts, .gate_up = {}, .down = {}};
    std::vector<Sources> all;
    for (int64_t expert = 0; expert < sizes_.experts; ++expert) {
      all.push_back(gate_up_of(expert));
    }
    experts.gate_up.parts = gate_up_parts(all);
    std::vector<TensorRequest> down;
    for (int64_t expert = 0; expert < sizes_.experts; ++expert) {
      down.push_back(down_of(expert));
    }
    experts.down = {.name = fmt::format("layer {} experts' down", layer_),
                    .matrix = tensors_.store().matrix(down, sizes_.width),
                    .experts = sizes_.experts};
    return experts;
  }

 private:
  // A pattern with one place takes the layer alone.
  std::string name_of(std::string_view pattern, int64_t expert = 0) const {
    return tensors_.prefixed(fmt::format(fmt::runtime(pattern), layer_, expert));
  }
  bool fused(std::string_view pattern) const {
    return !pattern.empty() && tensors_.store().has(name_of(pattern));
  }
  // Expert `expert` of a tensor that holds them all.
  TensorRequest slice_of(std::string_view pattern, int64_t rows, int64_t expert) const {
    TensorRequest request{.name = name_of(pattern), .rows = rows};
    request.slices = sizes_.experts;
    request.slice = expert;
    return request;
  }
  TensorRequest tensor_of(std::string_view pattern, int64_t rows, int64_t expert) const {
    return {.name = name_of(pattern, expert), .rows = rows};
  }

  // Gate and up, or one request for both.
  Sources gate_up_of(int64_t expert) const {
    const int64_t width = sizes_.width;
    if (tensors_.is_gguf()) {
      return {slice_of(kGgufGate, width, expert), slice_of(kGgufUp, width, expert)};
    }
    if (fused(names_.fused_gate_up)) {
      return {slice_of(names_.fused_gate_up, 2 * width, expert)};
    }
    return {tensor_of(names_.gate, width, expert), tensor_of(names_.up, width, expert)};
  }

  TensorRequest down_of(int64_t expert) const {
    if (tensors_.is_gguf()) {
      return slice_of(kGgufDown, sizes_.columns, expert);
    }
    if (fused(names_.fused_down)) {
      return slice_of(names_.fused_down, sizes_.columns, expert);
    }
    return tensor_of(names_.down, sizes_.columns, expert);
  }

  // One product where gate and up have one type, else two.
  std::vector<ProjectionPart> gate_up_parts(const std::vector<Sources>& experts) {
    const Sources& first = experts.front();
    const bool together =
        first.size() == 1 || tensors_.store().same_type(first[0].name, first[1].name);
    std::vector<ProjectionPart> parts;
    if (together) {
      std::vector<TensorRequest> rows;
      for (const Sources& sources : experts) {
        rows.insert(rows.end(), sources.begin(), sources.end());
      }
      parts.push_back(part("gate_up", rows, {sizes_.width, sizes_.width}));
      return parts;
    }
    for (size_t which : {0, 1}) {
      std::vector<TensorRequest> rows;
      for (const Sources& sources : experts) {
        rows.push_back(sources[which]);
      }
      parts.push_back(part(which == 0 ? "gate" : "up", rows, {sizes_.width}));
    }
    return parts;
  }

  ProjectionPart part(std::string_view what, const std::vector<TensorRequest>& rows,
                      std::vector<int64_t> widths) {
    return {.name = fmt::format("layer {} experts' {}", layer_, what),
            .matrix = tensors_.store().matrix(rows, sizes_.columns),
            .bias = {},
            .widths = std::move(widths)};
  }

  DecoderTensors& tensors_;
  const ExpertNames& names_;
  int layer_;
  ExpertSizes sizes_;
};

}  // namespace

Experts load_experts(DecoderTensors& tensors, const ExpertNames& names, int layer,
                     const ExpertSizes& sizes) {
  if (sizes.width % kPanelRows != 0 || sizes.columns % kPanelRows != 0) {
    fail(Code::kUnsupported,
         "{}: layer {}: experts: expected widths that are multiples of {}, found {} and {}",
         tensors.store().source().label(), layer, kPanelRows, sizes.width, sizes.columns);
  }
  return ExpertLoader(tensors, names, layer, sizes).load();
}

}  // namespace invar

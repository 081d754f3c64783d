// Test support: a decoder of two small layers with random weights, made by the builder alone, for
// tests that need a real program but no checkpoint. Both layers attend, or the second one has a
// convolution and a delta rule: a hybrid.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "program/builder.h"

namespace invar {

// Owns what its program refers to; not movable.
class SmallModel {
 public:
  static constexpr int64_t kVocabulary = 64;
  static constexpr int64_t kHidden = 32;
  static constexpr int64_t kHeads = 2;
  static constexpr int64_t kKvHeads = 1;
  static constexpr int64_t kHeadDim = 16;
  static constexpr int64_t kIntermediate = 64;
  static constexpr int kLayers = 2;

  struct Options {
    WeightFormat format = WeightFormat::kQ8_0;  // or kF32
    NumericPolicy policy = {};
    int64_t context = 1024;
    uint32_t seed = 1;
    bool hybrid = false;
    RopeSections sections = {};
  };
  SmallModel() : SmallModel(Options{}) {}
  explicit SmallModel(const Options& options) : options_(options), random_(options.seed) {
    Builder b(options.policy);
    const LinearWeights embedding = linear("embedding", kVocabulary, kHidden);
    Value x = b.embed(embedding);
    for (int layer = 0; layer < kLayers; ++layer) {
      b.set_layer(layer);
      x = options.hybrid && layer == 1 ? delta_rule(b, x, layer) : attention(b, x, layer);
      x = mlp(b, x, layer);
    }
    b.set_layer(-1);
    const Value last = b.rms_norm(b.gather_logit_rows(x), norm("final norm"));
    program = b.finish(b.linear(last, linear("head", kVocabulary, kHidden)));
  }
  SmallModel(const SmallModel&) = delete;
  SmallModel& operator=(const SmallModel&) = delete;

  Program program;  // as emitted

 private:
  float random_value() { return std::uniform_real_distribution<float>(-1.0f, 1.0f)(random_); }

  // A file's row of `columns` random weights.
  std::vector<std::byte> random_row(int64_t columns) {
    const WeightFormatInfo& info = weight_format_info(options_.format);
    std::vector<std::byte> row(columns / info.group_columns * info.group_bytes);
    if (options_.format == WeightFormat::kF32) {
      for (int64_t i = 0; i < columns; ++i) {
        const float value = random_value() / std::sqrt(static_cast<float>(columns)) * 2.0f;
        std::memcpy(row.data() + i * 4, &value, 4);
      }
      return row;
    }
    INVAR_CHECK(options_.format == WeightFormat::kQ8_0);
    const uint16_t scale = f32_to_f16(2.0f / 127.0f / std::sqrt(static_cast<float>(columns)));
    for (size_t group = 0; group < row.size(); group += 34) {
      std::memcpy(row.data() + group, &scale, 2);
      for (size_t i = 2; i < 34; ++i) {
        row[group + i] = static_cast<std::byte>(static_cast<int8_t>(127.0f * random_value()));
      }
    }
    return row;
  }

  LinearWeights linear(const std::string& name, int64_t rows, int64_t columns) {
    const WeightFormatInfo& info = weight_format_info(options_.format);
    const int64_t one_panel = panel_bytes(options_.format, columns);
    PackedMatrix& matrix = matrices_.emplace_back();
    matrix.format = options_.format;
    matrix.rows = rows;
    matrix.columns = columns;
    // Vectors are read aligned, and 64 bytes past the end.
    auto& bytes = packed_.emplace_back(matrix.panels() * one_panel / 64 + 2);
    auto* destination = reinterpret_cast<std::byte*>(bytes.data());
    matrix.data = destination;
    for (int64_t panel = 0; panel < matrix.panels(); ++panel) {
      std::array<std::vector<std::byte>, kPanelRows> rows_of_panel;
      std::array<const std::byte*, kPanelRows> pointers{};
      for (int64_t i = 0; i < kPanelRows && panel * kPanelRows + i < rows; ++i) {
        rows_of_panel[i] = random_row(columns);
        pointers[i] = rows_of_panel[i].data();
      }
      info.pack_panel(pointers, columns, destination + panel * one_panel);
    }
    return {.name = name, .matrix = &matrix, .bias = {}};
  }

  TensorView floats(std::vector<float> values, int64_t rows) {
    const auto count = static_cast<int64_t>(values.size());
    floats_.push_back(std::move(values));
    return dense_view(floats_.back().data(), DType::kF32, rows, count / rows);
  }

  NormWeights norm(const std::string& name) {
    std::vector<float> values(kHidden);
    for (float& value : values) {
      value = 1.0f + 0.5f * random_value();
    }
    return {.name = name, .weight = floats(std::move(values), 1), .eps = 1e-5f};
  }

  TensorView rope_table() {
    std::vector<float> values;
    for (int64_t position = 0; position < options_.context; ++position) {
      for (int64_t i = 0; i < kHeadDim; ++i) {
        const double angle = static_cast<double>(position) *
                             std::pow(100.0, -static_cast<double>(i % (kHeadDim / 2)) / 8.0);
        values.push_back(static_cast<float>(i < kHeadDim / 2 ? std::cos(angle) : std::sin(angle)));
      }
    }
    return floats(std::move(values), options_.context);
  }

  Value attention(Builder& b, Value x, int layer) {
    const std::string prefix = "layer " + std::to_string(layer) + " ";
    if (layer == 0) {
      rope_ = {.name = "rope", .table = rope_table(), .sections = options_.sections};
    }
    const AttentionState state = b.paged_attention_state(kKvHeads, kHeadDim);
    const Value h = b.rms_norm(x, norm(prefix + "attention norm"));
    const int64_t widths[] = {kHeads * kHeadDim, kKvHeads * kHeadDim, kKvHeads * kHeadDim};
    const LinearWeights qkv_weights =
        linear(prefix + "qkv", widths[0] + widths[1] + widths[2], kHidden);
    const std::vector<Value> qkv = b.split(b.linear(h, qkv_weights), widths);
    b.rope(qkv[0], rope_, kHeadDim);
    b.rope(qkv[1], rope_, kHeadDim);
    b.kv_write(state, qkv[1], qkv[2]);
    const Value o = b.attention(qkv[0], state, {.heads = kHeads, .scale = 0.25f});
    return b.add(x, b.linear(o, linear(prefix + "out", kHidden, kHeads * kHeadDim)));
  }

  std::vector<float> random_values(int64_t count) {
    std::vector<float> values(count);
    for (float& value : values) {
      value = random_value();
    }
    return values;
  }

  Value delta_rule(Builder& b, Value x, int layer) {
    const std::string prefix = "layer " + std::to_string(layer) + " ";
    constexpr int64_t kTaps = 4;
    constexpr int64_t kChannels = 4 * kHeadDim;  // one head of q and k, two of v
    const DeltaRuleAttributes attributes{.key_heads = 1,
                                         .value_heads = 2,
                                         .key_dim = kHeadDim,
                                         .value_dim = kHeadDim,
                                         .l2_eps = 1e-6f,
                                         .scale = 0.25f};
    const RecurrentState conv_state =
        b.recurrent_state(prefix + "convolution", (kTaps - 1) * kChannels, kChannels);
    const RecurrentState state =
        b.recurrent_state(prefix + "delta rule", delta_rule_page_columns(attributes),
                          delta_rule_row_columns(attributes));
    const Value h = b.rms_norm(x, norm(prefix + "delta norm"));
    const int64_t widths[] = {kChannels, 2, 2};
    const std::vector<Value> in =
        b.split(b.linear(h, linear(prefix + "in", kChannels + 4, kHidden)), widths);
    const ConvWeights conv{.name = prefix + "convolution",
                           .weight = floats(random_values(kTaps * kChannels), kTaps),
                           .bias = {}};
    const int64_t heads[] = {kHeadDim, kHeadDim, 2 * kHeadDim};
    const std::vector<Value> qkv =
        b.split(b.causal_conv(in[0], conv, conv_state, {.silu = true}), heads);
    const Builder::DeltaGates gates = b.delta_gates(in[1], in[2],
                                                    {.name = prefix + "gates",
                                                     .a_log = floats(random_values(2), 1),
                                                     .dt_bias = floats(random_values(2), 1)},
                                                    {.heads = 2});
    const Value o =
        b.delta_rule({.q = qkv[0], .k = qkv[1], .v = qkv[2], .gates = gates}, state, attributes);
    return b.add(x, b.linear(o, linear(prefix + "delta out", kHidden, 2 * kHeadDim)));
  }

  Value mlp(Builder& b, Value x, int layer) {
    const std::string prefix = "layer " + std::to_string(layer) + " ";
    const Value h = b.rms_norm(x, norm(prefix + "mlp norm"));
    const int64_t widths[] = {kIntermediate, kIntermediate};
    const std::vector<Value> gate_up =
        b.split(b.linear(h, linear(prefix + "gate_up", 2 * kIntermediate, kHidden)), widths);
    const Value activation = b.silu_mul(gate_up[0], gate_up[1]);
    return b.add(x, b.linear(activation, linear(prefix + "down", kHidden, kIntermediate)));
  }

  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };

  Options options_;
  std::mt19937 random_;
  std::deque<PackedMatrix> matrices_;
  std::deque<std::vector<Line>> packed_;
  std::deque<std::vector<float>> floats_;
  RopeWeights rope_;
};

}  // namespace invar

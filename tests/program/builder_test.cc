// What each builder method emits, and what it refuses.
#include "program/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "program/small_model.h"

namespace invar {
namespace {

using testing::ElementsAre;

std::vector<std::string> op_names(const Program& program) {
  std::vector<std::string> names;
  for (const auto& node : program.nodes) {
    names.emplace_back(node->name());
  }
  return names;
}

template <template <class> class Args>
const Args<Operand>& args_of(const Program& program, int node) {
  return dynamic_cast<const OpNode<Args>&>(*program.nodes.at(node)).args;
}

class BuilderTest : public testing::Test {
 protected:
  BuilderTest() {
    quantized_.format = WeightFormat::kQ8_0;
    quantized_.rows = 96;
    quantized_.columns = 32;
    dense_ = quantized_;
    dense_.format = WeightFormat::kBF16;
    square_ = quantized_;
    square_.rows = 32;
  }

  static LinearWeights weights(const std::string& name, const PackedMatrix& matrix) {
    return {.name = name, .matrix = &matrix, .bias = {}};
  }
  NormWeights norm(const std::string& name, int64_t columns) {
    return {
        .name = name, .weight = dense_view(numbers_.data(), DType::kF32, 1, columns), .eps = 1e-6f};
  }
  Program finish(Builder& b, Value x) {
    return b.finish(b.linear(b.gather_logit_rows(x), weights("head", square_)));
  }

  PackedMatrix quantized_;  // 32 columns to 96
  PackedMatrix dense_;
  PackedMatrix square_;  // 32 to 32
  std::vector<float> numbers_ = std::vector<float>(4096);
};

TEST_F(BuilderTest, SplitsWindowsWithoutAnOp) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  const Value y = b.linear(x, weights("qkv", quantized_));
  const int64_t widths[] = {64, 16, 16};
  const std::vector<Value> parts = b.split(y, widths);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].id, y.id);
  EXPECT_EQ(parts[1].first_column, 64);
  EXPECT_EQ(parts[2].first_column, 80);
  EXPECT_EQ(parts[2].columns, 16);
  // A window of a window.
  const int64_t halves[] = {8, 8};
  EXPECT_EQ(b.split(parts[2], halves)[1].first_column, 88);
  const int64_t wrong[] = {64, 16};
  EXPECT_DEATH(b.split(y, wrong), "split of 96 columns ends at 80");
  EXPECT_THAT(op_names(finish(b, x)), ElementsAre("embed", "quantize_rows", "linear", "gather_rows",
                                                  "quantize_rows", "linear"));
}

TEST_F(BuilderTest, NormsAreRoundedUnlessTheConsumerWantsMore) {
  Builder b({.activation_dtype = DType::kBF16});
  const Value x = b.embed(weights("table", square_));
  b.rms_norm(x, norm("rounded", 32));
  b.rms_norm(x, norm("exact", 32), {.rounded = false});
  const Program program = finish(b, x);
  EXPECT_EQ(program.values[args_of<RmsNormArgs>(program, 1).out.index].dtype, DType::kBF16);
  EXPECT_EQ(program.values[args_of<RmsNormArgs>(program, 2).out.index].dtype, DType::kF32);
}

TEST_F(BuilderTest, QuantizesAValueOnce) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  b.linear(x, weights("a", quantized_));
  b.linear(x, weights("b", quantized_));
  b.linear(x, weights("c", dense_));  // dense formats take the value itself
  const Program program = finish(b, x);
  EXPECT_THAT(op_names(program), ElementsAre("embed", "quantize_rows", "linear", "linear", "linear",
                                             "gather_rows", "quantize_rows", "linear"));
  EXPECT_EQ(args_of<LinearArgs>(program, 2).x.index, args_of<LinearArgs>(program, 3).x.index);
  EXPECT_EQ(args_of<LinearArgs>(program, 4).x.index, x.id);
}

TEST_F(BuilderTest, EveryWindowIsQuantizedByItself) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  const Value y = b.linear(x, weights("a", quantized_));
  const int64_t widths[] = {32, 32, 32};
  const std::vector<Value> parts = b.split(y, widths);
  const PackedMatrix narrow = square_;
  b.linear(parts[0], weights("b", narrow));
  b.linear(parts[1], weights("c", narrow));
  b.linear(parts[0], weights("d", narrow));
  const Program program = finish(b, x);
  EXPECT_THAT(op_names(program), ElementsAre("embed", "quantize_rows", "linear", "quantize_rows",
                                             "linear", "quantize_rows", "linear", "linear",
                                             "gather_rows", "quantize_rows", "linear"));
  EXPECT_EQ(args_of<QuantizeRowsArgs>(program, 5).x.first_column, 32);
}

TEST_F(BuilderTest, InPlaceOpsMakeQuantizedRowsStale) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  b.linear(x, weights("a", square_));
  b.rms_norm_in_place(x, norm("n", 16));
  b.linear(x, weights("b", square_));
  const int64_t widths[] = {16, 16};
  // A window that is changed is part of the value that was quantized.
  b.rope(b.split(x, widths)[1],
         {.name = "rope", .table = dense_view(numbers_.data(), DType::kF32, 64, 16)}, 16);
  b.linear(x, weights("c", square_));
  EXPECT_THAT(
      op_names(finish(b, x)),
      ElementsAre("embed", "quantize_rows", "linear", "rms_norm", "quantize_rows", "linear", "rope",
                  "quantize_rows", "linear", "gather_rows", "quantize_rows", "linear"));
}

TEST_F(BuilderTest, ActivationsHaveThePolicysDType) {
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    Builder b({.activation_dtype = dtype, .kv_dtype = DType::kF16});
    const Value x = b.embed(weights("table", square_));
    const Value h = b.rms_norm(x, norm("n", 32));
    const Value y = b.linear(h, weights("a", dense_));
    const AttentionState state = b.paged_attention_state(1, 16);
    const int64_t widths[] = {64, 16, 16};
    const std::vector<Value> qkv = b.split(y, widths);
    b.kv_write(state, qkv[1], qkv[2]);
    const Value o = b.attention(qkv[0], state, {.heads = 4, .scale = 0.25f});
    const Value a = b.silu_mul(qkv[1], qkv[2]);
    const Program program = finish(b, x);
    EXPECT_EQ(program.values[x.id].dtype, DType::kF32);
    EXPECT_EQ(program.values[h.id].dtype, dtype);
    EXPECT_EQ(program.values[y.id].dtype, DType::kF32);
    EXPECT_EQ(program.values[o.id].dtype, dtype);
    EXPECT_EQ(program.values[a.id].dtype, dtype);
    ASSERT_EQ(program.state_buffers.size(), 2u);
    EXPECT_EQ(program.state_buffers[0].dtype, DType::kF16);
    EXPECT_EQ(program.state_buffers[0].columns, 16 * 64);
    EXPECT_EQ(program.state_buffers[0].bytes_per_unit(), 16 * 64 * 2);
    ASSERT_EQ(program.state_kinds.size(), 1u);
    EXPECT_THAT(program.state_kinds[0].buffers, ElementsAre(0, 1));
  }
}

TEST_F(BuilderTest, LayersNamesAndConstants) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  b.set_layer(3);
  const Value h = b.rms_norm(x, norm("shared", 32));
  b.rms_norm(h, norm("shared", 32));
  LinearWeights biased = weights("with bias", square_);
  biased.bias = dense_view(numbers_.data(), DType::kF32, 1, 32);
  b.linear(h, biased, {.addend = x});
  const Program program = finish(b, x);
  EXPECT_EQ(program.nodes[0]->layer, -1);
  EXPECT_EQ(program.nodes[1]->layer, 3);
  EXPECT_EQ(program.nodes[1]->label, "shared");
  ASSERT_EQ(program.constants.size(), 2u);  // the norm's weight once, and the bias
  EXPECT_EQ(program.constants[1].name, "with bias bias");
  const LinearArgs<Operand>& linear = args_of<LinearArgs>(program, 4);
  EXPECT_EQ(linear.bias.kind, OperandKind::kConstant);
  EXPECT_EQ(linear.addend.index, x.id);
  EXPECT_EQ(program.output.columns, 32);
  EXPECT_EQ(program.values[program.output.id].rows, RowSet::kLogits);
}

TEST_F(BuilderTest, LatentRowsHaveOneBuffer) {
  Builder b({.activation_dtype = DType::kBF16, .kv_dtype = DType::kBF16});
  const Value x = b.embed(weights("table", square_));
  b.set_layer(2);
  const AttentionState cache = b.paged_latent_state(16, 16);
  const int64_t halves[] = {16, 16};
  b.kv_write(cache, b.split(x, halves)[0], {});
  b.attention(x, cache, {.heads = 2, .scale = 1, .rounded = false});
  EXPECT_DEATH(b.kv_write(cache, b.split(x, halves)[0], b.split(x, halves)[1]), "v.columns");
  const Program program = finish(b, x);
  ASSERT_EQ(program.state_buffers.size(), 1u);
  EXPECT_EQ(program.state_buffers[0].name, "layer 2 latents");
  EXPECT_EQ(program.state_buffers[0].columns, 16 * kKvBlockRows);
  EXPECT_EQ(program.state_buffers[0].dtype, DType::kBF16);
  EXPECT_FALSE(args_of<KvWriteArgs>(program, 1).v);
  EXPECT_FALSE(args_of<KvWriteArgs>(program, 1).v_cache);
  EXPECT_FALSE(args_of<AttentionArgs>(program, 2).v_cache);
  EXPECT_EQ(args_of<AttentionArgs>(program, 2).out.columns, 2 * 16);
}

TEST_F(BuilderTest, HeadsAreMultipliedAndPadded) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  PackedMatrix heads = dense_;  // two heads of 48 rows, 40 of them outputs
  heads.columns = 14;
  const HeadWeights matrices{.name = "heads", .matrix = &heads, .heads = 2, .outputs = 40};
  EXPECT_EQ(b.head_linear(x, matrices, {}).columns, 2 * 40);
  EXPECT_EQ(b.head_linear(x, matrices, {.kept = 2}).columns, 2 * 42);
  EXPECT_EQ(b.head_linear(x, matrices, {.kept = 2, .head_columns = 48}).columns, 2 * 48);
  EXPECT_DEATH(b.head_linear(x, {.name = "five", .matrix = &heads, .heads = 5, .outputs = 16}, {}),
               "five: 32 columns");
  const Program program = finish(b, x);
  EXPECT_EQ(args_of<HeadLinearArgs>(program, 3).attributes.kept, 2);
  EXPECT_EQ(args_of<HeadLinearArgs>(program, 3).attributes.outputs, 40);
}

TEST_F(BuilderTest, CopiesIntoWindowsOfASpace) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  const Value space = b.space(x, 96);
  const int64_t widths[] = {32, 32, 32};
  b.copy(x, b.split(space, widths)[1]);
  EXPECT_DEATH(b.copy(x, space), "x.columns == window.columns");
  const Program program = finish(b, x);
  EXPECT_EQ(args_of<CopyArgs>(program, 1).out.index, space.id);
  EXPECT_EQ(args_of<CopyArgs>(program, 1).out.first_column, 32);
}

TEST_F(BuilderTest, RotatesASliceOfEachHead) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  const TensorView table = dense_view(numbers_.data(), DType::kF32, 4, 8);
  b.rope(x, {.name = "rope", .table = table}, 16, 8);
  EXPECT_DEATH(b.rope(x, {.name = "rope", .table = table}, 16, 10), "table.columns <= head_dim");
  const Program program = finish(b, x);
  EXPECT_EQ(args_of<RopeArgs>(program, 1).attributes.head_dim, 16);
  EXPECT_EQ(args_of<RopeArgs>(program, 1).attributes.first_column, 8);
}

TEST_F(BuilderTest, SectionsTurnByThreePositions) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  const TensorView table = dense_view(numbers_.data(), DType::kF32, 4, 8);
  b.rope(x, {.name = "plain", .table = table}, 16);
  b.rope(x, {.name = "rope", .table = table, .sections = {2, 1, 1}}, 16);
  const Program program = finish(b, x);
  EXPECT_EQ(args_of<RopeArgs>(program, 1).positions.index,
            static_cast<int32_t>(PassTable::kPositions));
  EXPECT_EQ(args_of<RopeArgs>(program, 2).positions.index,
            static_cast<int32_t>(PassTable::kPositionStreams));
  EXPECT_EQ(args_of<RopeArgs>(program, 2).attributes.sections, (RopeSections{2, 1, 1}));
}

TEST_F(BuilderTest, RefusesWhatDoesNotFit) {
  Builder b({});
  const Value x = b.embed(weights("table", square_));
  const Value wide = b.linear(x, weights("a", quantized_));
  EXPECT_DEATH(b.linear(wide, weights("b", square_)), "b: 96 columns for a matrix of 32");
  EXPECT_DEATH(b.linear(x, weights("a", quantized_), {.addend = x}), "addend");
  EXPECT_DEATH(b.add(x, wide), "columns");
  EXPECT_DEATH(b.silu_mul(x, wide), "columns");
  EXPECT_DEATH(b.rms_norm(x, norm("n", 20)), "columns");
  EXPECT_DEATH(
      b.rope(x, {.name = "rope", .table = dense_view(numbers_.data(), DType::kF32, 8, 16)}, 24),
      "head_dim");
  const AttentionState state = b.paged_attention_state(2, 16);
  EXPECT_DEATH(b.kv_write(state, x, wide), "width");
  EXPECT_DEATH(b.attention(x, state, {.heads = 4, .scale = 1}), "columns");
  // Logits of rows that nobody asked for.
  EXPECT_DEATH(b.finish(x), "kLogits");
  // Rows of the pass and rows with logits do not add.
  EXPECT_DEATH(b.add(x, b.gather_logit_rows(x)), "rows");
}

TEST_F(BuilderTest, RefusesSizesThatNoOpTakes) {
  const auto refuse = [&](auto append, const std::string& message) {
    Builder b({});
    const Value x = b.embed(weights("table", square_));
    expect_error([&] { append(b, x); }, Code::kUnsupported, message);
  };
  const auto ones = [&](int64_t rows, int64_t columns) {
    return dense_view(numbers_.data(), DType::kF32, rows, columns);
  };
  refuse(
      [&](Builder& b, Value x) {
        b.causal_conv(x, {.name = "conv", .weight = ones(17, 32), .bias = {}},
                      b.recurrent_state("conv", 16 * 32, 32), {});
      },
      "conv: taps: expected 2 to 16 in steps of 1, found 17");
  refuse(
      [&](Builder& b, Value x) {
        b.depth_mix({.banks = b.space(x, 32 * 32), .running = x}, norm("mix", 32), ones(1, 32), 32);
      },
      "mix: banks: expected 0 to 31 in steps of 1, found 32");
  refuse([](Builder& b, Value x) { b.attention(x, b.paged_attention_state(1, 272), {.heads = 1}); },
         "attention: head size: expected 16 to 256 in steps of 16, found 272");
  refuse([](Builder& b, Value x) { b.attention(x, b.paged_latent_state(656, 16), {.heads = 1}); },
         "attention: head size: expected 16 to 640 in steps of 16, found 656");
  refuse([](Builder& b, Value x) { b.attention(x, b.paged_latent_state(32, 24), {.heads = 1}); },
         "attention: value size: expected 16 to 32 in steps of 16, found 24");
  refuse([](Builder& b, Value x) { b.attention(x, b.paged_attention_state(2, 16), {.heads = 3}); },
         "attention: heads: expected 1 to 4096 in steps of 2, found 3");
  const auto route = [&](MoeRouteAttributes routing, const std::string& message) {
    refuse([&](Builder& b, Value x) { b.moe_route(x, "", {}, routing); }, message);
  };
  route({.top_k = 1, .groups = 5}, "router: experts: expected 1 to 1024 in steps of 5, found 32");
  route({.top_k = 1, .groups = 4, .groups_used = 5},
        "router: groups used: expected 1 to 4 in steps of 1, found 5");
  route({.top_k = 9, .groups = 4}, "router: top_k: expected 1 to 8 in steps of 1, found 9");
  const auto rule = [&](DeltaRuleAttributes a, const std::string& message) {
    refuse([&](Builder& b, Value /*x*/) { b.delta_rule({}, {}, a); }, message);
  };
  rule({.key_heads = 1, .value_heads = 1, .key_dim = 272, .value_dim = 16},
       "delta rule: head size: expected 16 to 256 in steps of 16, found 272");
  rule({.key_heads = 2, .value_heads = 3, .key_dim = 16, .value_dim = 16},
       "delta rule: value heads: expected 1 to 4096 in steps of 2, found 3");
  const auto ssd = [&](SsdAttributes a, const std::string& message) {
    SsdWeights named;
    named.name = "ssd";
    refuse([&](Builder& b, Value /*x*/) { b.ssd({}, named, {}, a); }, message);
  };
  ssd({.heads = 1, .head_dim = 16, .groups = 1, .state_size = 24},
      "ssd: head size: expected 16 to 256 in steps of 16, found 24");
  ssd({.heads = 3, .head_dim = 16, .groups = 2, .state_size = 16},
      "ssd: heads: expected 1 to 4096 in steps of 2, found 3");
  refuse(
      [&](Builder& b, Value x) {
        const Builder::Routing routing = b.moe_route(x, "", {}, {.top_k = 1});
        b.expert_linear(x, routing, {.name = "experts", .matrix = &quantized_, .experts = 4});
      },
      "experts: rows of an expert: expected 16 to 96 in steps of 16, found 24");
}

}  // namespace
}  // namespace invar

// Matrices that multiply the same rows become one where their types allow.
#include "weights/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weights/small_gguf.h"

namespace invar {
namespace {

using testing::ElementsAre;

ProjectionRequest request(const std::string& name, int64_t rows, const std::string& bias = "",
                          RowOrder order = {}) {
  return {.weight = {.name = name, .rows = rows, .order = order}, .bias = bias};
}

TEST(Projection, RowsOfSeveralValuesAreDivided) {
  SmallGguf gguf;
  gguf.add_f32("qg", {8, 4}, 1);
  gguf.add_f32("k", {4, 4}, 40);
  ProjectionRequest sources[] = {request("qg", 8), request("k", 4)};
  sources[0].widths = {6, 2};
  const Projection projection = load_projection(gguf.store(), "qgk", sources, 4);
  ASSERT_EQ(projection.parts.size(), 1u);
  EXPECT_THAT(projection.parts[0].widths, ElementsAre(6, 2, 4));
}

TEST(Projection, OneTypeIsOneProduct) {
  SmallGguf gguf;
  gguf.add_f32("q", {8, 4}, 1);
  gguf.add_f32("k", {4, 4}, 40);
  gguf.add_f32("v", {4, 4}, 70);
  gguf.add_f32("q bias", {8}, 1);
  gguf.add_f32("k bias", {4}, 11);
  gguf.add_f32("v bias", {4}, 21);
  WeightStore& store = gguf.store();
  const RowOrder paired = paired_heads(4);
  const ProjectionRequest sources[] = {request("q", 8, "q bias", paired),
                                       request("k", 4, "k bias", paired),
                                       request("v", 4, "v bias")};
  const Projection projection = load_projection(store, "qkv", sources, 4);
  // The same tensors by themselves.
  const PackedMatrix* separate[] = {store.matrix({.name = "q", .rows = 8, .order = paired}, 4),
                                    store.matrix({.name = "k", .rows = 4, .order = paired}, 4),
                                    store.matrix({.name = "v", .rows = 4, .order = {}}, 4)};
  ThreadTeam team(1);
  store.finish(team, {});
  ASSERT_EQ(projection.parts.size(), 1u);
  const ProjectionPart& part = projection.parts[0];
  EXPECT_EQ(part.name, "qkv");
  EXPECT_THAT(part.widths, ElementsAre(8, 4, 4));
  EXPECT_EQ(part.matrix->rows, 16);
  EXPECT_EQ(unpacked(*part.matrix),
            joined(joined(unpacked(*separate[0]), unpacked(*separate[1])), unpacked(*separate[2])));
  // A bias follows the order of its rows.
  EXPECT_THAT(values_of(part.bias),
              ElementsAre(1, 3, 2, 4, 5, 7, 6, 8, 11, 13, 12, 14, 21, 22, 23, 24));
}

TEST(Projection, TypesSplitIt) {
  SmallGguf gguf;
  gguf.add_f32("q", {8, 4}, 1);
  gguf.add_f32("k", {4, 4}, 40);
  gguf.add("v", GgmlType::kF16, {4, 4}, f16_bytes(counted(16, 70)));
  WeightStore& store = gguf.store();
  const ProjectionRequest sources[] = {request("q", 8), request("k", 4), request("v", 4)};
  const Projection projection = load_projection(store, "qkv", sources, 4);
  ThreadTeam team(1);
  store.finish(team, {});
  ASSERT_EQ(projection.parts.size(), 2u);
  EXPECT_EQ(projection.parts[0].name, "qkv 0");
  EXPECT_EQ(projection.parts[1].name, "qkv 1");
  EXPECT_THAT(projection.parts[0].widths, ElementsAre(8, 4));
  EXPECT_THAT(projection.parts[1].widths, ElementsAre(4));
  EXPECT_EQ(projection.parts[1].matrix->format, WeightFormat::kF16);
  EXPECT_EQ(unpacked(*projection.parts[1].matrix), counted(16, 70));
  EXPECT_FALSE(projection.parts[0].bias);
}

TEST(Projection, AMissingBiasSplitsIt) {
  SmallGguf gguf;
  gguf.add_f32("a", {4, 4}, 1);
  gguf.add_f32("b", {4, 4}, 40);
  gguf.add_f32("b bias", {4}, 5);
  WeightStore& store = gguf.store();
  const ProjectionRequest sources[] = {request("a", 4), request("b", 4, "b bias")};
  const Projection projection = load_projection(store, "ab", sources, 4);
  ASSERT_EQ(projection.parts.size(), 2u);
  EXPECT_FALSE(projection.parts[0].bias);
  EXPECT_THAT(values_of(projection.parts[1].bias), ElementsAre(5, 6, 7, 8));
}

}  // namespace
}  // namespace invar

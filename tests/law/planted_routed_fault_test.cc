// A fault planted in the experts' products is reported with its op and position: a row's digest is
// that of all its experts.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/registry.h"
#include "engine/law.h"
#include "law/forwarding_backend.h"
#include "models/model.h"

namespace invar {
namespace {

constexpr int64_t kRow = 3;

// The second expert of one row gives other bits where the row is not alone.
class OtherBitsInCompany final : public ForwardingBackend {
 public:
  OtherBitsInCompany(const Backend& inner, const PackedMatrix* weight)
      : ForwardingBackend(inner), weight_(weight) {}
  using ForwardingBackend::run;
  void run(const Stream& stream, const ExpertLinear& op) const override {
    inner().run(stream, op);
    if (stream.lane == 0 && op.attributes.weight == weight_ && op.ids.rows > kRow) {
      float& out = op.out.row<float>(kRow * op.ids.columns + 1)[5];
      out = std::nextafter(out, 1e30f);
    }
  }

 private:
  const PackedMatrix* weight_;
};

TEST(PlantedRoutedFault, IsFoundAtItsRowAndOp) {
  ThreadTeam team(1);
  const std::unique_ptr<const Model> model =
      load_model(std::filesystem::path(INVAR_SOURCE_DIR) / "tests/golden/qwen3-moe",
                 {.dtype = DType::kF32, .fuse = false}, team, {});
  const std::string label = "layer 1 experts' down";
  const PackedMatrix* weight = nullptr;
  for (const auto& node : model->program.nodes) {
    const auto* product = dynamic_cast<const OpNode<ExpertLinearArgs>*>(node.get());
    weight =
        product != nullptr && product->label == label ? product->args.attributes.weight : weight;
  }
  ASSERT_NE(weight, nullptr);
  const std::unique_ptr<Backend> sound = make_cpu_backend("");
  const OtherBitsInCompany faulty(*sound, weight);
  const Backend* const backends[] = {sound.get(), &faulty};
  for (const Backend* backend : backends) {
    const LawSubject subject{.program = &model->program,
                             .unfused = &model->program,
                             .backend = backend,
                             .team = &team,
                             .context = model->context};
    const std::vector<LawResult> results = check_law(subject, {.tokens = 20, .only = "tokens"});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(describe("moe", results[0]),
              backend == sound.get()
                  ? "law moe tokens: equal"
                  : "law moe tokens: DIFFERS position 3 op expert_linear " + label);
  }
}

}  // namespace
}  // namespace invar

// The law for every family of tests/golden in f32 and bf16, and for the default model where it has
// been fetched: equal bytes in every case.
#include "engine/law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "backend/registry.h"
#include "engine/law_fuzz.h"
#include "models/model.h"
#include "program/fuse/rule.h"

namespace invar {
namespace {

struct ModelCase {
  std::string path;  // below the source tree
  std::string name;
  DType dtype = DType::kF32;
  int64_t tokens = 0;      // 0: the check's own choice
  bool other_isas = true;  // whether the slow ones are worth their time
  int64_t schedules = 0;   // random ones
};

std::filesystem::path full_path(const ModelCase& each) {
  return std::filesystem::path(INVAR_SOURCE_DIR) / each.path;
}

void expect_law(const ModelCase& each) {
  // One lane: the threads cases have teams of their own, and barriers take long on busy machines.
  ThreadTeam team(1);
  const std::unique_ptr<const Model> model =
      load_model(full_path(each), {.dtype = each.dtype, .fuse = false}, team, {});
  Program fused = copy(model->program);
  EXPECT_GT(fuse(fused), 0);
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  LawSubject subject{.program = &fused,
                     .unfused = &model->program,
                     .backend = backend.get(),
                     .team = &team,
                     .context = model->context};
  std::vector<std::unique_ptr<Backend>> others;
  for (const std::string_view isa : supported_isas()) {
    if (each.other_isas && isa != supported_isas().front()) {
      others.push_back(make_cpu_backend(isa));
      subject.other_isas.push_back({.name = isa, .backend = others.back().get()});
    }
  }
  const bool paged = std::ranges::any_of(fused.state_buffers, [](const StateBufferInfo& buffer) {
    return buffer.unit == StateUnit::kKvBlock;
  });
  const std::vector<LawResult> results = check_law(subject, {.tokens = each.tokens});
  for (const LawResult& result : results) {
    std::printf("%-10s %s\n", result.case_name.c_str(), describe_details(result).c_str());
    EXPECT_EQ(result.copied[StateUnit::kStatePage], 0) << describe(each.name, result);
    EXPECT_EQ(result.status, LawResult::Status::kEqual) << describe(each.name, result);
    if (result.case_name == "fork") {
      EXPECT_EQ(result.copied[StateUnit::kKvBlock] > 0, paged);
    }
  }
  EXPECT_EQ(results.size(), 14 + others.size());
  const LawFuzzResult fuzzed = fuzz_law(subject, {.schedules = each.schedules});
  std::printf("%s", describe(each.name, fuzzed).c_str());
  EXPECT_FALSE(fuzzed.failure.has_value());
}

class LawOfFamilies : public testing::TestWithParam<ModelCase> {};

TEST_P(LawOfFamilies, EqualBytes) {
  expect_law(GetParam());
}

// Every folder of tests/golden that holds a model.
std::vector<ModelCase> family_cases() {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(INVAR_SOURCE_DIR "/tests/golden")) {
    if (std::filesystem::exists(entry.path() / "config.json")) {
      folders.insert(entry.path().filename().string());
    }
  }
  std::vector<ModelCase> cases;
  for (const std::string& folder : folders) {
    std::string family = folder;
    std::replace_if(
        family.begin(), family.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      cases.push_back({.path = "tests/golden/" + folder,
                       .name = family + "_" + std::string(dtype_name(dtype)),
                       .dtype = dtype,
                       .schedules = 10});
    }
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<ModelCase>& tested) {
  return tested.param.name;
}

INSTANTIATE_TEST_SUITE_P(Families, LawOfFamilies, testing::ValuesIn(family_cases()), &name_of);

TEST(LawOfDefaultModel, EqualBytes) {
  // Few tokens: this shows that the sizes and formats of a real model keep the law; the families
  // above cross all borders. tests/conformance compares instruction sets format by format.
  const ModelCase each{.path = "models/SmolLM2-135M-Instruct.Q4_1.gguf",
                       .name = "SmolLM2",
                       .tokens = 130,
                       .other_isas = false,
                       .schedules = 1};
  if (!std::filesystem::exists(full_path(each))) {
    GTEST_SKIP() << each.path << " is not there: make model fetches it";
  }
  expect_law(each);
}

}  // namespace
}  // namespace invar

// The checks of rule 0 on snippets.
#include "tidy/numerics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::tidy {
namespace {

using testing::HasSubstr;

std::string libm(const std::string& text, const char* path = "src/kernels/cpu/a.cc") {
  AllowList none;
  return render(check_libm_calls(parse_source(path, text), none));
}
std::string order(const std::string& text, const char* path = "src/engine/a.cc") {
  AllowList none;
  return render(check_float_order(parse_source(path, text), none));
}

TEST(TidyNumerics, FindsLibmInKernelsAndBackends) {
  EXPECT_THAT(libm("float y = std::exp(x);"), HasSubstr("[libm] exp"));
  EXPECT_THAT(libm("float y = expf(x);", "src/backend/ref/a.cc"), HasSubstr("[libm] expf"));
  EXPECT_THAT(libm("float y = ::sqrtf(x);"), HasSubstr("[libm] sqrtf"));
  EXPECT_THAT(libm("return exp(x);"), HasSubstr("[libm] exp"));
  EXPECT_THAT(libm("y = __builtin_expf(x);"), HasSubstr("[libm] __builtin_expf"));
  EXPECT_THAT(libm("float y = __expf(x);", "src/kernels/cuda/a.cu"), HasSubstr("[libm] __expf"));
}

TEST(TidyNumerics, OwnFunctionsAndExactOnesAreNotLibm) {
  EXPECT_EQ(libm("y = math::exp(x) + v.exp(x) + exp_f32(x) + std::fma(a, b, c) + std::abs(x);"),
            "");
  EXPECT_EQ(libm("y = std::exp(x);", "src/program/a.cc"), "");
  EXPECT_EQ(libm("float exp = log; // exp(x)"), "");
  EXPECT_EQ(
      libm("static F sqrt(F a) { return __builtin_sqrtf(a); } y = F::sqrt(x) + Math<V>::exp(x);"),
      "");
}

TEST(TidyNumerics, FindsFloatsWithoutAnOrder) {
  EXPECT_THAT(order("std::atomic<float> x;"), HasSubstr("[float_atomic]"));
  EXPECT_THAT(order("std::atomic_ref<double> x(y);"), HasSubstr("[float_atomic]"));
  EXPECT_THAT(order("atomicAdd(&x, 1.0f);", "src/kernels/cuda/a.cu"), HasSubstr("atomicAdd"));
  EXPECT_THAT(order("#pragma omp parallel for reduction(+ : sum)"), HasSubstr("reduction"));
  EXPECT_THAT(order("#pragma STDC FP_CONTRACT ON"), HasSubstr("[contraction]"));
  EXPECT_THAT(order("__attribute__((optimize(\"O3\"))) void f();"), HasSubstr("[contraction]"));
  EXPECT_EQ(order("std::atomic<int> x; sum.fetch_add(1);"), "");
}

TEST(TidyNumerics, FindsFlagsThatChangeFormulas) {
  const std::string flag =
      "-f"
      "fast-math";
  EXPECT_THAT(render(check_build_flags(parse_source("cmake/a.cmake", "\nset(X " + flag + ")\n"))),
              HasSubstr("cmake/a.cmake:2: " + flag));
  EXPECT_EQ(render(check_build_flags(parse_source("docs/a.md", flag))), "");
}

TEST(TidyNumerics, EveryCompileCommandTurnsContractionOff) {
  const auto commands = [](const std::string& file, const std::string& command) {
    return render(check_compile_commands(
        "cc.json", R"([{"file": ")" + file + R"(", "command": ")" + command + R"("}])"));
  };
  EXPECT_EQ(commands("/x/src/a.cc", "g++ -O2 -ffp-contract=off -c a.cc"), "");
  EXPECT_EQ(commands("/x/src/a.cu", "nvcc -fmad=false -c a.cu"), "");
  EXPECT_EQ(commands("/x/tests/a.cc", "g++ -c a.cc"), "");
  EXPECT_THAT(commands("/x/src/a.cc", "g++ -c a.cc"), HasSubstr("without -ffp-contract=off"));
  EXPECT_THAT(commands("/x/src/a.cc", "g++ -ffp-contract=off -Ofast -c a.cc"), HasSubstr("-Ofast"));
  EXPECT_THAT(render(check_compile_commands("cc.json", "[]")), HasSubstr("expected a list"));
}

TEST(TidyNumerics, AnArchiveMayNotNeedLibm) {
  const std::string listing =
      "\nsoftmax.cc.o:\n                 U expf\n                 U memcpy\n";
  EXPECT_THAT(render(check_undefined_symbols("lib.a", listing)),
              HasSubstr("lib.a:0: softmax.cc.o: calls libm's expf"));
  EXPECT_EQ(render(check_undefined_symbols("lib.a", "a.o:\n U fmaf\n U floorf\n U _Z3expf\n")), "");
}

}  // namespace
}  // namespace invar::tidy

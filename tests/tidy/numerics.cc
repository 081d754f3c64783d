// Checks of rule 0 of the law in sources, build files and archives (numerics.h).
#include "tidy/numerics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace invar::tidy {
namespace {

// libm's names without the suffixes f (float) and l (long double).
constexpr std::array<std::string_view, 48> kLibm = {
    "exp",    "exp2",  "exp10",  "expm1",   "log",    "log2",   "log10",  "log1p",
    "pow",    "sqrt",  "cbrt",   "hypot",   "sin",    "cos",    "tan",    "sincos",
    "asin",   "acos",  "atan",   "atan2",   "sinh",   "cosh",   "tanh",   "asinh",
    "acosh",  "atanh", "erf",    "erfc",    "tgamma", "lgamma", "fmod",   "remainder",
    "remquo", "round", "lround", "llround", "rint",   "lrint",  "llrint", "nearbyint",
    "trunc",  "ceil",  "floor",  "ldexp",   "frexp",  "scalbn", "modf",   "logb"};
// Not libm's, but of the same kind: the vendors' approximations and CUDA's.
constexpr std::array<std::string_view, 12> kApproximations = {
    "rsqrt",  "rsqrtf", "__expf",  "__logf",  "__powf",      "__sinf",
    "__cosf", "__tanf", "__exp2f", "__log2f", "__frsqrt_rn", "__fdividef"};
// Functions of libm that an archive may call: their results are exact.
constexpr std::array<std::string_view, 6> kExactSymbols = {"fma",   "fmaf",  "ceil",
                                                           "ceilf", "floor", "floorf"};
constexpr std::array<std::string_view, 10> kChangingFlags = {"-ffast-math",
                                                             "-Ofast",
                                                             "-funsafe-math-optimizations",
                                                             "-fassociative-math",
                                                             "-freciprocal-math",
                                                             "-ffinite-math-only",
                                                             "-fno-signed-zeros",
                                                             "-ffp-contract=fast",
                                                             "--use_fast_math",
                                                             "-use_fast_math"};
constexpr std::array<std::string_view, 8> kAtomics = {"atomic",    "atomic_ref",     "atomicAdd",
                                                      "atomicMax", "atomicMin",      "atomicExch",
                                                      "red_add",   "atomicAdd_block"};

template <size_t kCount>
bool contains(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Built-ins that compile to one correctly rounded instruction, or to an exact result.
constexpr std::array<std::string_view, 6> kExactBuiltins = {"__builtin_sqrtf",  "__builtin_sqrt",
                                                            "__builtin_floorf", "__builtin_ceilf",
                                                            "__builtin_truncf", "__builtin_rintf"};

bool is_libm(std::string_view name) {
  static constexpr std::string_view kBuiltin = "__builtin_";
  if (name.starts_with(kBuiltin)) {
    return !contains(kExactBuiltins, name) && is_libm(name.substr(kBuiltin.size()));
  }
  if (contains(kLibm, name) || contains(kApproximations, name)) {
    return true;
  }
  const bool suffix = name.ends_with('f') || name.ends_with('l');
  return suffix && contains(kLibm, name.substr(0, name.size() - 1));
}

}  // namespace

Findings check_libm_calls(const Source& source, AllowList& allowed) {
  if (!source.is_cpp() || (!source.is_below("src/kernels/") && !source.is_below("src/backend/"))) {
    return {};
  }
  Findings findings;
  const std::vector<Token>& tokens = source.tokens;
  for (size_t at = 1; at + 1 < tokens.size(); ++at) {
    const std::string& before = tokens[at - 1].text;
    const bool member = before == "." || before == "->";
    // A function of one's own in a namespace (math::exp, VecMath<V>::exp) is not libm's.
    const bool own = before == "::" && at >= 2 && tokens[at - 2].text != "std" &&
                     (tokens[at - 2].kind == Token::Kind::kWord || tokens[at - 2].text == ">");
    // After a type, it is the declaration of one's own function.
    const bool declared = tokens[at - 1].kind == Token::Kind::kWord && before != "return" &&
                          before != "else" && before != "case";
    if (tokens[at + 1].text == "(" && is_libm(tokens[at].text) && !member && !own && !declared &&
        !allowed.allows("libm", source.path)) {
      findings.push_back(
          {source.path, tokens[at].line,
           fmt::format("[libm] {}: its bits depend on the machine; use the project's "
                       "own function (core/)",
                       tokens[at].text)});
    }
  }
  return findings;
}

Findings check_float_order(const Source& source, AllowList& allowed) {
  if (!source.is_cpp()) {
    return {};
  }
  Findings findings;
  const auto add = [&](std::string_view rule, int line, std::string_view message) {
    if (!allowed.allows(rule, source.path)) {
      findings.push_back({source.path, line, fmt::format("[{}] {}", rule, message)});
    }
  };
  const std::vector<Token>& tokens = source.tokens;
  for (size_t at = 0; at < tokens.size(); ++at) {
    const std::string& word = tokens[at].text;
    const std::string_view inner = at + 2 < tokens.size() && tokens[at + 1].text == "<"
                                       ? std::string_view(tokens[at + 2].text)
                                       : std::string_view();
    if (contains(kAtomics, word) && (inner == "float" || inner == "double")) {
      add("float_atomic", tokens[at].line,
          "an atomic sum has no fixed order: merge in a fixed tree");
    }
    if (source.path.ends_with(".cu") && word.starts_with("atomicAdd")) {
      add("float_atomic", tokens[at].line, "atomicAdd: merge in a fixed tree (integers: list it)");
    }
    if (word == "FP_CONTRACT" || word == "fp_contract" || word == "float_control") {
      add("contraction", tokens[at].line,
          "contraction is off everywhere; write fma where it is meant");
    }
    if (word == "optimize" && at > 0 && tokens[at - 1].text == "(") {
      add("contraction", tokens[at].line, "no optimisation attributes: one meaning per formula");
    }
    if (word == "reduction" && tokens[at].in_directive) {
      add("float_atomic", tokens[at].line, "a parallel reduction has no fixed order");
    }
  }
  return findings;
}

Findings check_build_flags(const Source& source) {
  const bool build_file = source.path.ends_with(".cmake") ||
                          source.path.ends_with("CMakeLists.txt") ||
                          source.path == "CMakePresets.json" || source.path == "Makefile";
  if (!build_file) {
    return {};
  }
  Findings findings;
  int number = 0;
  for (const std::string_view line : split_lines(source.text)) {
    ++number;
    for (const std::string_view flag : kChangingFlags) {
      if (line.find(flag) != std::string_view::npos) {
        findings.push_back({source.path, number, fmt::format("{} changes formulas", flag)});
      }
    }
  }
  return findings;
}

Findings check_compile_commands(const std::string& path, std::string_view text) {
  const nlohmann::json commands = nlohmann::json::parse(text, nullptr, false);
  if (!commands.is_array() || commands.empty()) {
    return {{path, 0, "expected a list of compile commands"}};
  }
  Findings findings;
  for (const nlohmann::json& entry : commands) {
    const std::string file = entry.value("file", "");
    const std::string command = " " + entry.value("command", "") + " ";
    const auto complain = [&](std::string_view what) {
      findings.push_back({path, 0, fmt::format("{}: {}", file, what)});
    };
    if (file.find("/src/") == std::string::npos) {
      continue;
    }
    const bool cuda = file.ends_with(".cu");
    const std::string_view wanted = cuda ? " -fmad=false " : " -ffp-contract=off ";
    if (command.find(wanted) == std::string::npos) {
      complain(fmt::format("compiled without{}", wanted));
    }
    for (const std::string_view flag : kChangingFlags) {
      if (command.find(fmt::format(" {} ", flag)) != std::string::npos) {
        complain(fmt::format("compiled with {}", flag));
      }
    }
  }
  return findings;
}

Findings check_undefined_symbols(const std::string& archive, std::string_view listing) {
  Findings findings;
  std::string member;
  for (const std::string_view line : split_lines(listing)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 1 && words[0].ends_with(':')) {
      member = words[0];
    }
    if (words.size() == 2 && words[0] == "U" && is_libm(words[1]) &&
        !contains(kExactSymbols, words[1])) {
      findings.push_back({archive, 0, fmt::format("{} calls libm's {}", member, words[1])});
    }
  }
  return findings;
}

}  // namespace invar::tidy

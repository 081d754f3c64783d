// Main program of a fuzz target in ordinary builds: runs the target over each file of a corpus
// folder, so that every input that once found something stays a unit test, and over some thousand
// seeded mutations of each. A run over no file is a failure. libFuzzer brings its own main program
// and does not use this one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// Over the whole corpus: a second or two with sanitizers.
constexpr uint64_t kMutations = 6000;

void run_target(const std::vector<uint8_t>& bytes) {
  // A copy of exactly this size on the heap lets AddressSanitizer see a read past the end.
  std::vector<uint8_t> input(bytes.begin(), bytes.end());
  input.shrink_to_fit();
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

void replay(const std::filesystem::path& path, uint64_t mutations) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file),
                                   std::istreambuf_iterator<char>()};
  fmt::print("{}\n", path.filename().string());
  std::fflush(stdout);  // a crash then follows the name of its input
  run_target(bytes);
  constexpr uint64_t kReported = 100;
  for (uint64_t seed = 0; seed < mutations; ++seed) {
    if (seed % kReported == 0) {
      fmt::print("  mutations from {}\n", seed);
      std::fflush(stdout);
    }
    run_target(invar::mutated(bytes, seed));
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2 || !std::filesystem::is_directory(arguments[1])) {
    fmt::print(stderr, "usage: {} CORPUS_FOLDER\n", arguments[0]);
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    replay(path, kMutations / paths.size());
  }
  fmt::print("{} inputs replayed and mutated\n", paths.size());
  return paths.empty() ? 1 : 0;
}

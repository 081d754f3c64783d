// Main program of a fuzz target in ordinary builds: runs the target once over each file of a corpus
// folder, so that every input that once found something stays a unit test. A run over no file is a
// failure. libFuzzer brings its own main program and does not use this one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

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
    fmt::print("{}\n", path.filename().string());
    std::fflush(stdout);  // a crash then follows the name of its input
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    // A copy of exactly this size on the heap lets AddressSanitizer see a read past the end.
    const std::vector<uint8_t> input(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  fmt::print("{} inputs replayed\n", paths.size());
  return paths.empty() ? 1 : 0;
}

// Test support: runs the built program as a person's shell would, and keeps what it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "formats/temporary_directory.h"

namespace invar {

struct ProgramRun {
  int status = -1;  // exit status; -1 if a signal ended it
  std::string out;
  std::string err;
};

// `arguments` as typed in a shell, in `folder`; standard input is empty unless `input` says more.
inline ProgramRun run_program(const std::string& arguments, const std::string& input = "",
                              const std::string& folder = INVAR_SOURCE_DIR) {
  const TemporaryDirectory directory;
  const std::string base = directory.path().string();
  directory.write("in", input);
  // Redirections in the arguments come later and win.
  const std::string command = "cd '" + folder + "' && <'" + base + "/in' >'" + base + "/out' 2>'" +
                              base + "/err' '" INVAR_PROGRAM "' " + arguments;
  const int result = std::system(command.c_str());
  const auto read = [&](const char* name) {
    std::ifstream stream(directory.path() / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  };
  return {.status = WIFEXITED(result) ? WEXITSTATUS(result) : -1,
          .out = read("out"),
          .err = read("err")};
}

// A sanitizer's runtime, which this test then shares with the program, maps terabytes.
#define INVAR_NEEDS_LIMITED_MEMORY()                                 \
  if (address_space_bytes("self") > (uint64_t{1} << 40)) {           \
    GTEST_SKIP() << "a sanitizer's address space cannot be limited"; \
  }

// `process` as /proc names it.
inline uint64_t address_space_bytes(const std::string& process) {
  std::ifstream memory("/proc/" + process + "/statm");
  uint64_t pages = 0;
  memory >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Path of the default model; skips the test where it has not been fetched.
#define INVAR_NEEDS_DEFAULT_MODEL()                                                      \
  if (!std::filesystem::exists(INVAR_SOURCE_DIR "/" + std::string(kDefaultModelFile))) { \
    GTEST_SKIP() << kDefaultModelFile << " is missing: tools/get_model.sh fetches it";   \
  }

inline constexpr const char* kDefaultModelFile = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

}  // namespace invar

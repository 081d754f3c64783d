// Limits of the shell (ulimit) end a command with a message, not by a signal.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace invar {
namespace {

const std::string kLlama = "tests/golden/llama";

// The program after a shell command. What it prints goes to files: the limit may be theirs.
ProgramRun run_after(const std::string& command, const std::string& arguments,
                     const std::filesystem::path& error) {
  return run_program("--version >/dev/null; " + command + "; '" INVAR_PROGRAM "' " + arguments +
                     " 2>'" + error.string() + "'");
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(Limits, AFileSizeIsNoSignal) {
  const TemporaryDirectory directory;
  const std::string ids = directory.write("ids", "1 2").string();
  const std::filesystem::path out = directory.path() / "out";
  // A pipe has no size: the message comes through.
  const std::string logits = "logits " + kLlama + " --tokens " + ids + " --out " + out.string();
  const ProgramRun run = run_program("--version >/dev/null; (ulimit -f 0; '" INVAR_PROGRAM "' " +
                                     logits + " 2>&1 >/dev/null; echo status $? >&2) 2>&1 | cat >" +
                                     (directory.path() / "said").string());
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(text_of(directory.path() / "said"),
            "invar: " + out.string() + ": cannot write: File too large\nstatus 2\n");
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(run_after("ulimit -f 0", "--help >" + out.string(), "/dev/null").status, 2);
}

TEST(Limits, LittleMemoryIsExplained) {
  INVAR_NEEDS_LIMITED_MEMORY();
  const TemporaryDirectory directory;
  const std::filesystem::path error = directory.path() / "error";
  for (const int kilobytes : {9000, 11000, 13000, 14000, 15000, 16000, 20000, 40000}) {
    const std::string limit = "ulimit -v " + std::to_string(kilobytes);
    const int started = run_after(limit, "--version >/dev/null", error).status;
    // The system cannot load the program, or a library cannot make its constants before main.
    if (started == 127 || started == 134) {
      continue;
    }
    const ProgramRun run = run_after(limit, "plan " + kLlama + " --threads 2 >/dev/null", error);
    EXPECT_TRUE(run.status == 0 || (run.status == 2 && text_of(error).starts_with("invar: ")))
        << kilobytes << ": " << run.status << " " << text_of(error);
  }
}

}  // namespace
}  // namespace invar

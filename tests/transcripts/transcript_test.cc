// Sends every transcript of this folder to a server with a golden model, each on a connection of
// its own, and asks after each whether the server is well.
#include "transcripts/transcript.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "backend/registry.h"
#include "core/thread_team.h"
#include "engine/runner.h"
#include "models/model.h"
#include "server_support/running_server.h"

namespace invar {
namespace {

const std::filesystem::path kTests = std::filesystem::path(INVAR_SOURCE_DIR) / "tests";

TEST(Transcripts, AllHold) {
  ThreadTeam team(1);
  const auto backend = make_cpu_backend("");
  const auto model = load_model(kTests / "golden/llama", {.context = 256}, team, {});
  Runner runner({.program = &model->program, .backend = backend.get(), .team = &team},
                {.context_positions = 256,
                 .kv_blocks = 32,
                 .rows_max = 64,
                 .segments_max = 4,
                 .logit_rows_max = 4});
  RunningServer server(runner);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kTests / "transcripts")) {
    if (entry.path().extension() == ".txt") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 4u);
  int count = 0;
  for (const std::filesystem::path& file : files) {
    for (const Transcript& transcript : read_transcripts(file)) {
      HttpClient client(server.port());
      client.send(transcript.bytes);  // The server may close before it has read all.
      const auto reply = client.read(transcript.has_body);
      ASSERT_TRUE(reply) << transcript.name;
      const std::string wrong = difference(transcript, *reply);
      EXPECT_TRUE(wrong.empty()) << wrong;
      const auto health = HttpClient(server.port()).get("/health");
      ASSERT_TRUE(health && health->status == 200) << "after " << transcript.name;
      ++count;
    }
  }
  RecordProperty("transcripts", count);
  EXPECT_EQ(server.engine().stats().sequences_running, 0);
  EXPECT_EQ(server.engine().stats().kv_blocks_held, 0);
}

// The reader and the comparison, which must be able to fail.
class TranscriptFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string error_of(const std::string& text) {
    std::ofstream(path_) << text;
    try {
      read_transcripts(path_);
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).substr(path_.string().size());
    }
    return "no error";
  }

  const std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                      ("transcript_" + std::to_string(getpid()) + ".txt");
};

TEST_F(TranscriptFile, IsRead) {
  std::ofstream(path_)
      << "# why\n=== first\nPOST /a\nX: {{repeat 2 y}}\n\n{\"a\":\n{{bytes c3 28}}}\n"
         "--- 400\n\"a\"...\"b\"\n!c\n\n=== second\nHEAD /b\n--- 200\n";
  const std::vector<Transcript> read = read_transcripts(path_);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].bytes,
            "POST /a HTTP/1.1\r\nHost: test\r\nX: yy\r\nContent-Type: application/json\r\n"
            "Content-Length: 9\r\n\r\n{\"a\":\n\xc3(}");
  EXPECT_EQ(read[0].status, 400);
  EXPECT_EQ(read[0].expected, std::vector<std::string>{"\"a\"...\"b\""});
  EXPECT_EQ(read[0].unwanted, std::vector<std::string>{"c"});
  EXPECT_EQ(read[1].bytes, "HEAD /b HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_FALSE(read[1].has_body);
}

TEST_F(TranscriptFile, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("GET /\n"), ":1: expected '=== NAME'");
  EXPECT_EQ(error_of("=== a\n--- 200\n"), ":2: expected METHOD PATH");
  EXPECT_EQ(error_of("=== a\nGET /\n\nbody\n"), ":5: expected '--- STATUS'");
}

TEST(Transcript, RepliesAreCompared) {
  const Transcript transcript{
      .name = "n", .bytes = {}, .status = 200, .expected = {"a...c"}, .unwanted = {"d"}};
  EXPECT_EQ(difference(transcript, {.status = 200, .body = "abc"}), "");
  EXPECT_NE(difference(transcript, {.status = 201, .body = "abc"}), "");
  EXPECT_NE(difference(transcript, {.status = 200, .body = "cba"}), "");
  EXPECT_NE(difference(transcript, {.status = 200, .body = "abcd"}), "");
}

}  // namespace
}  // namespace invar

// Sends every transcript of this folder to a server with a golden model, each on a connection of
// its own, and asks after each whether the server is well.
#include "transcripts/transcript.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "backend/registry.h"
#include "core/thread_team.h"
#include "engine/runner.h"
#include "models/model.h"
#include "server_support/running_server.h"

namespace invar {
namespace {

const std::filesystem::path kTests = std::filesystem::path(INVAR_SOURCE_DIR) / "tests";

// docs/bad_requests.md: what each bad request is answered.
constexpr std::string_view kBadRequestsHead =
    "# Bad requests and their answers\n\n"
    "What the server answers to each request of `tests/transcripts/bad_*.txt`, where the bytes of "
    "each stand\nunder its name. The test of the transcripts sends them and compares this file "
    "with the answers. Answers that\nneed a slow, silent or second client, a key or a full queue "
    "are in `tests/server`; [server.md](server.md)\nhas the table of statuses.\n";

std::string table_head(const std::filesystem::path& file) {
  return fmt::format(
      "\n## {}\n\n| Request | Status | `code` | `param` | `message` |\n|---|---|---|---|---|\n",
      file.filename().string());
}

// In a table a bar would end the cell.
std::string cell(const nlohmann::json& value) {
  constexpr size_t kCellBytes = 160;
  std::string text = value.is_string() ? value.get<std::string>() : "";
  text = text.size() > kCellBytes ? text.substr(0, kCellBytes) + "..." : text;
  for (size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text.empty() ? "" : "`" + text + "`";
}

std::string table_row(const Transcript& transcript, const ClientReply& reply) {
  const nlohmann::json error = nlohmann::json::parse(reply.body).at("error");
  return fmt::format("| {} | {} | {} | {} | {} |\n",
                     transcript.name.substr(transcript.name.find(": ") + 2), reply.status,
                     cell(error.at("code")), cell(error.at("param")), cell(error.at("message")));
}

void expect_listed(const std::string& bad_requests) {
  const auto path = kTests.parent_path() / "docs/bad_requests.md";
  std::ifstream stream(path, std::ios::binary);
  const std::string listed{std::istreambuf_iterator<char>(stream), {}};
  if (listed != bad_requests) {
    const auto right = std::filesystem::path(testing::TempDir()) / "bad_requests.md";
    std::ofstream(right, std::ios::binary) << bad_requests;
    ADD_FAILURE() << path << " is not what the server answers; " << right << " is";
  }
}

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
  std::string bad_requests(kBadRequestsHead);
  for (const std::filesystem::path& file : files) {
    const bool is_bad = file.filename().string().starts_with("bad_");
    bad_requests += is_bad ? table_head(file) : "";
    for (const Transcript& transcript : read_transcripts(file)) {
      HttpClient client(server.port());
      client.send(transcript.bytes);  // The server may close before it has read all.
      const auto reply = client.read(transcript.has_body);
      ASSERT_TRUE(reply) << transcript.name;
      const std::string wrong = difference(transcript, *reply);
      EXPECT_TRUE(wrong.empty()) << wrong;
      bad_requests += is_bad ? table_row(transcript, *reply) : "";
      const auto health = HttpClient(server.port()).get("/health");
      ASSERT_TRUE(health && health->status == 200) << "after " << transcript.name;
      ++count;
    }
  }
  RecordProperty("transcripts", count);
  expect_listed(bad_requests);
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

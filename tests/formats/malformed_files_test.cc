// Provokes every answer of the malformed-file tables, and keeps docs/malformed_files.md equal to
// them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "formats/checkpoint.h"
#include "formats/expect_error.h"
#include "formats/gguf.h"
#include "formats/gguf_writer.h"
#include "formats/json.h"
#include "formats/malformed_case.h"
#include "formats/safetensors.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

using Parse = std::function<void(const std::string& content)>;

void parse_safetensors(const std::string& content) {
  SafetensorsFile::parse("model.safetensors", bytes_of(content));
}
void parse_gguf(const std::string& content) {
  GgufFile::parse("model.gguf", bytes_of(content));
}
void parse_config(const std::string& content) {
  parse_json("config.json", content);
}

void expect_answers(const std::vector<MalformedCase>& cases, const Parse& parse) {
  for (const MalformedCase& row : cases) {
    SCOPED_TRACE(row.what);
    expect_error([&] { parse(row.content); }, row.code, row.message);
  }
}

// Every proper prefix must be refused: there is no byte that a reader could do without.
void expect_prefixes_refused(const std::string& content, const Parse& parse) {
  parse(content);
  for (size_t length = 0; length < content.size(); ++length) {
    EXPECT_THROW(parse(content.substr(0, length)), Error) << length << " bytes";
  }
}

TEST(MalformedFilesTest, Safetensors) {
  expect_answers(malformed_safetensors(), parse_safetensors);
}
TEST(MalformedFilesTest, Gguf) {
  expect_answers(malformed_gguf(), parse_gguf);
}
TEST(MalformedFilesTest, Json) {
  expect_answers(malformed_json(), parse_config);
}

TEST(MalformedFilesTest, Checkpoints) {
  for (const MalformedDirectory& row : malformed_checkpoints()) {
    SCOPED_TRACE(row.what);
    const TemporaryDirectory directory;
    for (const auto& [name, content] : row.files) {
      directory.write(name, content);
    }
    std::string message = row.message;
    for (size_t at = 0; (at = message.find("DIR", at)) != std::string::npos;) {
      message.replace(at, 3, directory.path().string());
      at += directory.path().string().size();
    }
    expect_error([&] { Checkpoint::open(directory.path()); }, Code::kBadFile, message);
  }
}

TEST(MalformedFilesTest, SafetensorsCutAfterEveryByte) {
  expect_prefixes_refused(small_safetensors_file(), parse_safetensors);
}
TEST(MalformedFilesTest, GgufCutAfterEveryByte) {
  expect_prefixes_refused(small_gguf_file(), parse_gguf);
}
TEST(MalformedFilesTest, JsonCutAfterEveryByte) {
  expect_prefixes_refused(small_json_file(), parse_config);
}

// A table cell: no line breaks, no column ends.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : std::string(1, c);
  }
  return escaped;
}

template <class Case>
std::string section(const std::string& title, const std::vector<Case>& cases) {
  std::string text = "\n## " + title + "\n\n| File | Answer |\n|---|---|\n";
  for (const Case& row : cases) {
    text += "| " + cell(row.what) + " | `" + cell(row.message) + "` |\n";
  }
  return text;
}

TEST(MalformedFilesTest, DocumentListsTheseRows) {
  const std::string expected =
      "# Malformed files and the answers to them\n\n"
      "Model files come from anywhere. Every count, offset, length, type and overlap is checked\n"
      "before it is used, and each of these files is answered with the message beside it. The "
      "rows\n"
      "are those of the tables in `tests/formats/malformed_*.cc`; a test compares this file with\n"
      "them. Besides, a small good file of each format is cut after every byte, and each of the\n"
      "parts is refused.\n" +
      section("safetensors", malformed_safetensors()) +
      section("Checkpoint directories (DIR)", malformed_checkpoints()) +
      section("GGUF", malformed_gguf()) +
      section("JSON (config.json and the like)", malformed_json());
  const std::filesystem::path path =
      std::filesystem::path(INVAR_SOURCE_DIR) / "docs/malformed_files.md";
  std::ifstream stream(path, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(stream), {}};
  if (found != expected) {
    const std::filesystem::path wanted =
        std::filesystem::path(testing::TempDir()) / "malformed_files.md";
    std::ofstream(wanted, std::ios::binary) << expected;
    FAIL() << path << " differs from the tables; the right text is in " << wanted;
  }
}

}  // namespace
}  // namespace invar

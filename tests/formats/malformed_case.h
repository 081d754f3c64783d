// Test support: the tables of malformed files. Each row is a file and the whole answer to it; the
// tests provoke the answers and compare docs/malformed_files.md with the same rows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace invar {

struct MalformedCase {
  std::string what;     // what is wrong, for the document
  std::string content;  // of the file
  std::string message;  // exactly
  Code code = Code::kBadFile;
};

struct MalformedDirectory {
  std::string what;
  std::map<std::string, std::string> files;  // name -> content
  std::string message;                       // with DIR in the place of the directory
};

// A small good file of each format: tests cut it after every byte, fuzzing mutates it.
std::string small_safetensors_file();
std::string small_gguf_file();
std::string small_json_file();

// A safetensors file from a header text and data.
struct SafetensorsParts {
  std::string header;
  std::string data;
};
std::string safetensors_bytes(const SafetensorsParts& parts);

std::vector<MalformedCase> malformed_safetensors();  // label model.safetensors
std::vector<MalformedCase> malformed_gguf();         // label model.gguf
std::vector<MalformedCase> malformed_json();         // label config.json
std::vector<MalformedDirectory> malformed_checkpoints();

}  // namespace invar

// Reads files of HTTP exchanges (README.md) and compares replies with what they expect.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "server_support/http_client.h"

namespace invar {

struct Transcript {
  std::string name;
  std::string bytes;  // the request as it goes over the wire
  int status = 0;
  std::vector<std::string> expected = {};
  std::vector<std::string> unwanted = {};
  bool has_body = true;  // false for HEAD
};

// Throws std::runtime_error with file and line for a file of another form.
std::vector<Transcript> read_transcripts(const std::filesystem::path& path);

// What is wrong with the reply; empty: nothing.
std::string difference(const Transcript& transcript, const ClientReply& reply);

// Whether `pattern`, whose "..." stand for anything, is somewhere in `text`.
bool contains_pattern(std::string_view text, std::string_view pattern);

// {{repeat N TEXT}} and {{bytes HH HH}} written out.
std::string expand(std::string_view text);

}  // namespace invar

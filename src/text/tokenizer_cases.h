// Checks a tokenizer against reference results: a file of texts with the ids and the decoded text
// that are expected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace invar {

struct CaseCounts {
  int passed = 0;
  int failed = 0;
};

// Receives one line about each failed case, without line end.
using CaseReport = std::function<void(const std::string& line)>;

// `cases`: a JSON object whose "cases" are objects of text, ids, ids_with_special, decoded and
// decoded_skip (both decoded from ids, without and with leaving special tokens out). A case passes
// if all four agree and streaming gives the same text. `tokenizer`: tokenizer.json or a folder with
// it. Error kBadFile if a file has another form.
CaseCounts check_tokenizer_cases(const std::filesystem::path& cases,
                                 const std::filesystem::path& tokenizer, const CaseReport& report);

}  // namespace invar

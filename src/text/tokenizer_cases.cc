// One case at a time; the first field that differs is reported.
#include "text/tokenizer_cases.h"

#include <optional>
#include <vector>

#include "core/error.h"
#include "formats/json.h"
#include "formats/printable.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace invar {
namespace {

struct Case {
  std::string text;
  std::vector<int32_t> ids;
  std::vector<int32_t> ids_with_special;
  std::string decoded;
  std::string decoded_skip;
};

std::vector<Case> read_cases(const std::filesystem::path& path) {
  const nlohmann::json root = read_json_file(path);
  if (!root.is_object() || !root.contains("cases") || !root["cases"].is_array()) {
    fail(Code::kBadFile, "{}: expected an object with an array 'cases'", path.string());
  }
  std::vector<Case> cases;
  for (const nlohmann::json& item : root["cases"]) {
    const auto is_string = [&](const char* key) {
      return item.is_object() && item.contains(key) && item[key].is_string();
    };
    const auto is_ids = [&](const char* key) {
      if (!item.is_object() || !item.contains(key) || !item[key].is_array()) {
        return false;
      }
      for (const nlohmann::json& id : item[key]) {
        if (!id.is_number_integer()) {
          return false;
        }
      }
      return true;
    };
    if (!is_string("text") || !is_string("decoded") || !is_string("decoded_skip") ||
        !is_ids("ids") || !is_ids("ids_with_special")) {
      fail(Code::kBadFile,
           "{}: case {}: expected text, ids, ids_with_special, decoded and decoded_skip",
           path.string(), cases.size());
    }
    cases.push_back({item["text"], item["ids"], item["ids_with_special"], item["decoded"],
                     item["decoded_skip"]});
  }
  return cases;
}

std::string shown(const std::vector<int32_t>& ids) {
  std::string out;
  for (const int32_t id : ids) {
    out += fmt::format("{}{}", out.empty() ? "" : " ", id);
  }
  return "[" + out + "]";
}

std::string streamed(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                     bool skip_special) {
  Detokenizer stream(tokenizer, skip_special);
  std::string text;
  for (const int32_t id : ids) {
    text += stream.push(id);
  }
  return text + stream.flush();
}

// What differs, or nothing.
std::optional<std::string> difference(const Tokenizer& tokenizer, const Case& expected) {
  const auto ids_differ = [&](const char* field, bool add_special,
                              const std::vector<int32_t>& ids) -> std::optional<std::string> {
    const std::vector<int32_t> found =
        tokenizer.encode(expected.text, {.add_special_tokens = add_special});
    if (found == ids) {
      return std::nullopt;
    }
    return fmt::format("{}: expected {}, found {}", field, shown(ids), shown(found));
  };
  const auto text_differs = [&](const char* field, bool skip,
                                const std::string& text) -> std::optional<std::string> {
    const std::string whole = tokenizer.decode(expected.ids, skip);
    const std::string stream = streamed(tokenizer, expected.ids, skip);
    if (whole != text) {
      return fmt::format("{}: expected '{}', found '{}'", field, printable(text), printable(whole));
    }
    if (stream != text) {
      return fmt::format("{}, streamed: expected '{}', found '{}'", field, printable(text),
                         printable(stream));
    }
    return std::nullopt;
  };
  if (auto line = ids_differ("ids", false, expected.ids)) {
    return line;
  }
  if (auto line = ids_differ("ids_with_special", true, expected.ids_with_special)) {
    return line;
  }
  if (auto line = text_differs("decoded", false, expected.decoded)) {
    return line;
  }
  return text_differs("decoded_skip", true, expected.decoded_skip);
}

}  // namespace

CaseCounts check_tokenizer_cases(const std::filesystem::path& cases,
                                 const std::filesystem::path& tokenizer, const CaseReport& report) {
  const std::vector<Case> expected = read_cases(cases);
  const Tokenizer loaded = tokenizer_from_json(tokenizer);
  CaseCounts counts;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (const auto line = difference(loaded, expected[i])) {
      ++counts.failed;
      report(fmt::format("case {}: '{}': {}", i, printable(expected[i].text), *line));
    } else {
      ++counts.passed;
    }
  }
  return counts;
}

}  // namespace invar

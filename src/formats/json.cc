// Checked parsing of small JSON texts (json.h): a first pass checks and builds nothing, a second
// builds the tree.
#include "formats/json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/mapped_file.h"
#include "formats/printable.h"

namespace invar {
namespace {

// Hands the text to the parser and counts what it took, so that an event has a place in the file.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* next, size_t* taken_bytes)
      : next_(next), taken_bytes_(taken_bytes) {}
  reference operator*() const { return *next_; }
  CountingIterator& operator++() {
    ++next_;
    ++*taken_bytes_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return next_ == other.next_; }
  bool operator!=(const CountingIterator& other) const { return next_ != other.next_; }

 private:
  const char* next_;
  size_t* taken_bytes_;
};

struct JsonFault {
  std::string reason;
  size_t byte_offset = 0;
};

// The parser's message without its own position: "parse error at line 1, column 2: REASON".
std::string reason_of(std::string_view what) {
  size_t start = 0;
  const size_t column = what.find(", column ");
  if (column != std::string_view::npos) {
    const size_t colon = what.find(": ", column);
    start = colon == std::string_view::npos ? 0 : colon + 2;
  } else if (const size_t bracket = what.find("] "); bracket != std::string_view::npos) {
    start = bracket + 2;
  }
  constexpr size_t kReasonBytes = 240;  // the parser quotes what it read last, however long
  return printable(what.substr(start), kReasonBytes);
}

// Receives the parser's events; returning false stops it.
class JsonChecker : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonChecker(const size_t* taken_bytes, JsonLimits limits)
      : taken_bytes_(taken_bytes), limits_(limits) {}

  const JsonFault& fault() const { return fault_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t& digits) override {
    if (!limits_.exact_integers || digits.find_first_of(".eE") != std::string::npos) {
      return true;
    }
    fault_ = {fmt::format("expected an integer from {} to {}, found {}", INT64_MIN, UINT64_MAX,
                          printable(digits)),
              *taken_bytes_};
    return false;
  }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return deeper();
  }
  bool end_object() override {
    keys_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) {
      return true;
    }
    fault_ = {fmt::format("key '{}' stands twice in one object", printable(name)), *taken_bytes_};
    return false;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fault_ = {reason_of(error.what()), position};
    return false;
  }

 private:
  bool deeper() {
    if (++depth_ <= limits_.depth_max) {
      return true;
    }
    fault_ = {fmt::format("nested deeper than {} levels", limits_.depth_max), *taken_bytes_};
    return false;
  }

  const size_t* taken_bytes_;
  JsonLimits limits_;
  int depth_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;  // one set an open object
  JsonFault fault_;
};

void check_json(const std::string& label, std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes_max) {
    fail(Code::kBadFile, "{}: expected at most {} bytes of JSON, found {}", label, limits.bytes_max,
         text.size());
  }
  // The parser takes a NUL for the text's end.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    fail(Code::kBadFile, "{}: byte {}: expected text, found a NUL", label, nul);
  }
  size_t taken_bytes = 0;
  JsonChecker checker(&taken_bytes, limits);
  const bool valid = nlohmann::json::sax_parse(
      CountingIterator(text.data(), &taken_bytes),
      CountingIterator(text.data() + text.size(), &taken_bytes), &checker);
  if (!valid) {
    const JsonFault& fault = checker.fault();
    const size_t offset = std::min(fault.byte_offset, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<int64_t>(offset), '\n');
    fail(Code::kBadFile, "{}: line {}, byte {}: {}", label, line, offset, fault.reason);
  }
}

// The text with `stand_in` for each bare word Infinity outside strings.
std::string without_infinity(std::string_view text, std::string_view stand_in) {
  constexpr std::string_view kWord = "Infinity";
  constexpr std::string_view kBefore = " \t\r\n[:,";
  std::string result;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!in_string && text.substr(i).starts_with(kWord) && i > 0 &&
        kBefore.find(text[i - 1]) != std::string_view::npos) {
      result += stand_in;
      i += kWord.size() - 1;
      continue;
    }
    result += text[i];
    if (in_string && text[i] == '\\' && i + 1 < text.size()) {
      result += text[++i];
    } else if (text[i] == '"') {
      in_string = !in_string;
    }
  }
  return result;
}

template <class Json>
Json parse_checked(const std::string& label, std::string_view text, JsonLimits limits) {
  if (limits.infinity && text.size() <= limits.bytes_max &&
      text.find("Infinity") != std::string_view::npos) {
    // A number as long as the word, so that faults have their places; then what stands for it.
    check_json(label, without_infinity(text, "10000000"), limits);
    return parse_checked<Json>(label, without_infinity(text, R"({"__float__":"Infinity"})"),
                               {.bytes_max = SIZE_MAX, .depth_max = limits.depth_max + 1});
  }
  check_json(label, text, limits);
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  INVAR_CHECK(!value.is_discarded(), "{}: the second pass failed", label);
  return value;
}

template <class Json>
Json read_checked(const std::filesystem::path& path, JsonLimits limits) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  return parse_checked<Json>(path.string(),
                             {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, limits);
}

}  // namespace

nlohmann::json parse_json(const std::string& label, std::string_view text, JsonLimits limits) {
  return parse_checked<nlohmann::json>(label, text, limits);
}

void refuse_json(const std::string& label, std::string_view text, std::string_view reason,
                 JsonLimits limits) {
  check_json(label, text, limits);
  fail(Code::kBadFile, "{}: {}", label, reason);
}

nlohmann::json read_json_file(const std::filesystem::path& path, JsonLimits limits) {
  return read_checked<nlohmann::json>(path, limits);
}

nlohmann::ordered_json read_ordered_json_file(const std::filesystem::path& path,
                                              JsonLimits limits) {
  return read_checked<nlohmann::ordered_json>(path, limits);
}

}  // namespace invar

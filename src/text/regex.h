// Regular expressions of tokenizer files: Oniguruma's dialect, run by PCRE2 (UTF, UCP, JIT).
// Patterns and texts are untrusted: a pattern's length is limited, and a search that needs more
// steps than its limit throws Error instead of running on.
// What \p{...} and \w match follows PCRE2's version of Unicode (docs/models.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stop_check.h"

namespace invar {

// Bytes [begin, end) of a text.
struct TextSpan {
  size_t begin;
  size_t end;
  bool operator==(const TextSpan&) const = default;
};

// A compiled pattern; copies share it. Use is safe from many threads.
class Regex {
 public:
  // Longer patterns are refused; the longest published one has about 2 KiB.
  static constexpr size_t kMaxPatternBytes = 32 << 10;

  // Throws Error that names `where` (file and field) if the pattern cannot be compiled.
  static Regex compile(std::string_view pattern, std::string_view where);

  // A pattern that matches `text` literally.
  static Regex literal(std::string_view text, std::string_view where);

  // The matches in `text` (valid UTF-8), leftmost first, without overlap. An empty match right
  // after another match is passed over; an empty text has no match. Throws Error{kExhausted} at the
  // step limit.
  std::vector<TextSpan> find_all(std::string_view text, StopCheck& stop) const;
  std::vector<TextSpan> find_all(std::string_view text) const {
    StopCheck never;
    return find_all(text, never);
  }

  // The file and field it was made from.
  std::string_view where() const;

 private:
  struct Compiled;
  class Search;
  explicit Regex(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  static Regex compile_pcre2(const std::string& pcre2, std::string_view shown,
                             std::string_view where);

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace invar

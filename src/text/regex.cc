// PCRE2 behind Regex. Texts are checked to be UTF-8 before they come here, so PCRE2 does not check
// again. JIT code runs on the machine stack (32 KiB); a match that needs more is run again by the
// interpreter, which keeps its state on the heap.
#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "core/error.h"
#include "formats/printable.h"
#include "text/regex_syntax.h"
#include "text/utf8.h"

namespace invar {
namespace {

// Steps of one search from one starting point. Published patterns need a few steps a character at
// worst, so only a pattern that backtracks exponentially reaches this (in about a second).
constexpr uint32_t kStepLimit = 20'000'000;
constexpr uint32_t kHeapLimitKib = 256 << 10;
// Nesting of parentheses in a pattern; compilation recurses.
constexpr uint32_t kMaxParentheses = 100;

std::string pcre2_message(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

template <class T, void (*free_function)(T*)>
struct Pcre2Deleter {
  void operator()(T* pointer) const { free_function(pointer); }
};
using CodeOwner = std::unique_ptr<pcre2_code, Pcre2Deleter<pcre2_code, pcre2_code_free>>;
using CompileContext =
    std::unique_ptr<pcre2_compile_context,
                    Pcre2Deleter<pcre2_compile_context, pcre2_compile_context_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context,
                                     Pcre2Deleter<pcre2_match_context, pcre2_match_context_free>>;
using MatchData =
    std::unique_ptr<pcre2_match_data, Pcre2Deleter<pcre2_match_data, pcre2_match_data_free>>;

}  // namespace

struct Regex::Compiled {
  CodeOwner code;
  MatchContext limits;
  bool jit = false;
  std::string shown;  // the pattern as its file has it, for messages
  std::string where;
};

Regex Regex::compile(std::string_view pattern, std::string_view where) {
  if (pattern.size() > kMaxPatternBytes) {
    fail(Code::kBadFile, "{}: pattern: expected at most {} bytes, found {}", where,
         kMaxPatternBytes, pattern.size());
  }
  if (!utf8_is_valid(pattern)) {
    fail(Code::kBadFile, "{}: pattern: expected UTF-8", where);
  }
  return compile_pcre2(pcre2_from_oniguruma(pattern, where), pattern, where);
}

Regex Regex::literal(std::string_view text, std::string_view where) {
  std::string escaped;
  for (const char c : text) {
    const bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!word && static_cast<unsigned char>(c) < 0x80) {
      escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  if (text.size() > kMaxPatternBytes || !utf8_is_valid(text)) {
    fail(Code::kBadFile, "{}: pattern: expected UTF-8 of at most {} bytes", where,
         kMaxPatternBytes);
  }
  return compile_pcre2(escaped, text, where);
}

Regex Regex::compile_pcre2(const std::string& pcre2, std::string_view shown,
                           std::string_view where) {
  CompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), kMaxParentheses);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // MULTILINE: in the files' dialect ^ and $ always work at line borders.
  const uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  CodeOwner code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pcre2.data()), pcre2.size(), options,
                               &error, &offset, context.get()));
  if (code == nullptr) {
    fail(Code::kBadFile, "{}: pattern '{}': {}", where, printable(shown), pcre2_message(error));
  }
  MatchContext limits(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(limits.get(), kStepLimit);
  pcre2_set_heap_limit(limits.get(), kHeapLimitKib);
  const bool jit = pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE) == 0;
  return Regex(std::make_shared<const Compiled>(
      Compiled{std::move(code), std::move(limits), jit, std::string(shown), std::string(where)}));
}

std::vector<TextSpan> Regex::find_all(std::string_view text) const {
  std::vector<TextSpan> matches;
  if (text.empty()) {
    return matches;
  }
  const MatchData data(pcre2_match_data_create(1, nullptr));
  const PCRE2_SPTR subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const auto match = [&](size_t start) {
    int found = PCRE2_ERROR_JIT_STACKLIMIT;
    if (compiled_->jit) {
      found = pcre2_jit_match(compiled_->code.get(), subject, text.size(), start,
                              PCRE2_NO_UTF_CHECK, data.get(), compiled_->limits.get());
    }
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
      found = pcre2_match(compiled_->code.get(), subject, text.size(), start,
                          PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data.get(), compiled_->limits.get());
    }
    return found;
  };
  size_t at = 0;
  while (at <= text.size()) {
    const int found = match(at);
    if (found == PCRE2_ERROR_NOMATCH) {
      break;
    }
    if (found < 0) {
      fail(Code::kExhausted, "{}: pattern '{}': stopped at byte {} of a text of {} bytes: {}",
           compiled_->where, printable(compiled_->shown), at, text.size(), pcre2_message(found));
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    const TextSpan span{ends[0], ends[1]};
    const bool repeated_empty =
        span.begin >= span.end && !matches.empty() && matches.back().end == span.end;
    if (repeated_empty) {
      if (at == text.size()) {
        break;
      }
      next_code(text, at);
      continue;
    }
    if (span.begin > span.end || span.end < at) {
      fail(Code::kUnsupported, "{}: pattern '{}': a match that ends before it begins",
           compiled_->where, printable(compiled_->shown));
    }
    matches.push_back(span);
    at = span.end;
    if (span.begin == span.end && at == text.size()) {
      break;
    }
  }
  return matches;
}

}  // namespace invar

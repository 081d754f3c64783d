// PCRE2 behind Regex. Texts are checked to be UTF-8 before they come here, so PCRE2 does not check
// again. JIT code runs on the machine stack (32 KiB); a match that needs more is run again by the
// interpreter, which keeps its state on the heap.
//
// PCRE2 can limit the steps from one starting point only, and a search tries many. So a search runs
// with a small limit; where that is too little, starting points are tried one by one with growing
// limits that are paid from a budget for the whole text.
#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "formats/printable.h"
#include "text/regex_syntax.h"
#include "text/utf8.h"

namespace invar {
namespace {

// Steps from one starting point that cost nothing. Published patterns need fewer nearly everywhere.
constexpr uint32_t kFreeSteps = 2000;
// The budget of one text, about a second. Published patterns need a few steps a byte, but for one
// that looks for white space at the end of a line: it is quadratic in a run of spaces.
constexpr uint64_t kBudgetSteps = 400'000'000;
constexpr uint64_t kBudgetStepsPerByte = 64;
constexpr uint32_t kLimitGrowth = 4;
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
  MatchContext limits;  // with kFreeSteps
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
  const uint32_t options =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
  CodeOwner code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pcre2.data()), pcre2.size(), options,
                               &error, &offset, context.get()));
  if (code == nullptr) {
    fail(Code::kBadFile, "{}: pattern '{}': {}", where, printable(shown), pcre2_message(error));
  }
  MatchContext limits(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(limits.get(), kFreeSteps);
  pcre2_set_heap_limit(limits.get(), kHeapLimitKib);
  const bool jit = pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE) == 0;
  return Regex(std::make_shared<const Compiled>(
      Compiled{std::move(code), std::move(limits), jit, std::string(shown), std::string(where)}));
}

// One text.
class Regex::Search {
 public:
  Search(const Compiled& compiled, std::string_view text, StopCheck& stop)
      : compiled_(compiled),
        text_(text),
        stop_check_(stop),
        data_(pcre2_match_data_create(1, nullptr)),
        budget_(kBudgetSteps + kBudgetStepsPerByte * text.size()) {}

  // The leftmost match that begins at `from` or later.
  std::optional<TextSpan> next(size_t from) {
    int found = match(from, compiled_.limits.get());
    for (size_t at = from; out_of_steps(found); next_code(text_, at)) {
      found = match_at(at);
      if (found != PCRE2_ERROR_NOMATCH || at == text_.size()) {
        break;
      }
      found = PCRE2_ERROR_MATCHLIMIT;  // go on with the next starting point
    }
    if (found == PCRE2_ERROR_NOMATCH) {
      return std::nullopt;
    }
    if (found < 0) {
      stop(from, found);
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data_.get());
    const TextSpan span{ends[0], ends[1]};
    if (span.begin > span.end || span.end < from) {
      fail(Code::kUnsupported, "{}: pattern '{}': a match that ends before it begins",
           compiled_.where, printable(compiled_.shown));
    }
    return span;
  }

 private:
  static bool out_of_steps(int found) { return found == PCRE2_ERROR_MATCHLIMIT; }

  int match(size_t from, pcre2_match_context* limits) {
    const PCRE2_SPTR subject = reinterpret_cast<PCRE2_SPTR>(text_.data());
    int found = PCRE2_ERROR_JIT_STACKLIMIT;
    if (compiled_.jit) {
      found = pcre2_jit_match(compiled_.code.get(), subject, text_.size(), from, PCRE2_NO_UTF_CHECK,
                              data_.get(), limits);
    }
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
      found = pcre2_match(compiled_.code.get(), subject, text_.size(), from,
                          PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data_.get(), limits);
    }
    return found;
  }

  // Beginning at `at` and nowhere else, with as many steps as the budget pays for.
  int match_at(size_t at) {
    const MatchContext limits(pcre2_match_context_copy(compiled_.limits.get()));
    pcre2_set_offset_limit(limits.get(), at);
    int found = match(at, limits.get());
    // What the last starting point needed is likely to be enough for this one.
    for (uint64_t steps = enough_steps_; out_of_steps(found); steps *= kLimitGrowth) {
      steps = std::min({steps, budget_, uint64_t{UINT32_MAX}});
      if (steps <= kFreeSteps) {
        break;
      }
      budget_ -= steps;
      stop_check_.look();
      pcre2_set_match_limit(limits.get(), static_cast<uint32_t>(steps));
      found = match(at, limits.get());
      enough_steps_ = steps;
    }
    if (out_of_steps(found)) {
      stop(at, found);
    }
    return found;
  }

  [[noreturn]] void stop(size_t at, int error) const {
    fail(Code::kExhausted, "{}: pattern '{}': stopped at byte {} of a text of {} bytes: {}",
         compiled_.where, printable(compiled_.shown), at, text_.size(), pcre2_message(error));
  }

  const Compiled& compiled_;
  std::string_view text_;
  StopCheck& stop_check_;
  MatchData data_;
  uint64_t budget_;
  uint64_t enough_steps_ = uint64_t{kFreeSteps} * kLimitGrowth;
};

std::string_view Regex::where() const {
  return compiled_->where;
}

std::vector<TextSpan> Regex::find_all(std::string_view text, StopCheck& stop) const {
  std::vector<TextSpan> matches;
  if (text.empty()) {
    return matches;
  }
  Search search(*compiled_, text, stop);
  for (size_t at = 0; at <= text.size();) {
    stop.step();
    const std::optional<TextSpan> span = search.next(at);
    if (!span.has_value()) {
      break;
    }
    const bool is_empty = span->begin == span->end;
    if (is_empty && !matches.empty() && matches.back().end == span->end) {
      if (at == text.size()) {
        break;
      }
      next_code(text, at);
      continue;
    }
    matches.push_back(*span);
    at = span->end;
    if (is_empty && at == text.size()) {
      break;
    }
  }
  return matches;
}

}  // namespace invar

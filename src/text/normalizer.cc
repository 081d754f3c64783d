// One function a step, text in, text out. Unicode normal forms come from utf8proc; a text of
// characters that no form changes is not handed to it.
#include "text/normalizer.h"

#include <utf8proc.h>

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "core/error.h"
#include "text/byte_alphabet.h"
#include "text/char_class.h"
#include "text/growth_limit.h"
#include "text/utf8.h"

namespace invar {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

// True if all characters lie below `limit`.
bool all_below(std::string_view text, char32_t limit) {
  for (size_t at = 0; at < text.size();) {
    if (next_code(text, at) >= limit) {
      return false;
    }
  }
  return true;
}

// The first character that each form may change: below it there are neither marks nor decomposable
// characters (NFC leaves all of Latin-1 and Latin Extended alone).
char32_t first_changed(UnicodeForm form) {
  switch (form) {
    case UnicodeForm::kNfc:
      return 0x300;
    case UnicodeForm::kNfd:
      return 0xC0;
    case UnicodeForm::kNfkc:
      return 0xA0;
    case UnicodeForm::kNfkd:
      return 0xA0;
  }
  return 0;
}

utf8proc_option_t options_of(UnicodeForm form) {
  int options = UTF8PROC_STABLE;
  const bool composed = form == UnicodeForm::kNfc || form == UnicodeForm::kNfkc;
  options |= composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  const bool compatible = form == UnicodeForm::kNfkc || form == UnicodeForm::kNfkd;
  options |= compatible ? UTF8PROC_COMPAT : 0;
  return static_cast<utf8proc_option_t>(options);
}

uint8_t combining_class(utf8proc_int32_t code) {
  return static_cast<uint8_t>(utf8proc_get_property(code)->combining_class);
}

// Puts a run of marks into the order of their combining classes; equal ones stay in their order.
void order_marks(std::span<utf8proc_int32_t> marks) {
  if (marks.size() < 2) {
    return;
  }
  std::array<size_t, 257> begins{};  // by class
  for (const utf8proc_int32_t mark : marks) {
    ++begins[combining_class(mark) + size_t{1}];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  const std::vector<utf8proc_int32_t> unordered(marks.begin(), marks.end());
  for (const utf8proc_int32_t mark : unordered) {
    marks[begins[combining_class(mark)]++] = mark;
  }
}

// utf8proc's own function for whole texts orders marks in quadratic time.
void append_composed(std::string_view text, utf8proc_option_t options, StopCheck& stop,
                     std::string& out) {
  constexpr size_t kLongestForm = 18;  // of one character, U+FDFA's
  std::vector<utf8proc_int32_t> codes;
  codes.reserve(text.size());
  size_t marks = 0;  // at the end of `codes`
  int boundary = 0;
  for (size_t at = 0; at < text.size();) {
    stop.step();
    std::array<utf8proc_int32_t, kLongestForm> form;
    const utf8proc_ssize_t size =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(next_code(text, at)), form.data(),
                                kLongestForm, options, &boundary);
    INVAR_CHECK(size >= 0 && size <= utf8proc_ssize_t{kLongestForm}, "{}", size);
    for (const utf8proc_int32_t code : std::span(form).first(static_cast<size_t>(size))) {
      if (combining_class(code) == 0) {
        order_marks(std::span(codes).last(marks));
        marks = 0;
      } else {
        ++marks;
      }
      codes.push_back(code);
    }
  }
  order_marks(std::span(codes).last(marks));
  const utf8proc_ssize_t size =
      utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()), options);
  INVAR_CHECK(size >= 0, "{}", size);
  for (const utf8proc_int32_t code : std::span(codes).first(static_cast<size_t>(size))) {
    append_utf8(static_cast<char32_t>(code), out);
  }
}

// Before such a character a text may be cut: no form joins it to what stands before it.
bool stands_apart(char32_t code) {
  return code < 0x300 || is_cjk_ideograph(code);
}

void compose(std::string& text, UnicodeForm form, StopCheck& stop) {
  if (all_below(text, first_changed(form))) {
    return;
  }
  constexpr size_t kPieceBytes = size_t{16} << 10;  // at least, so that little memory is used
  std::string out;
  out.reserve(text.size());
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    if (stands_apart(next_code(text, at)) && start - begin >= kPieceBytes) {
      append_composed(std::string_view(text).substr(begin, start - begin), options_of(form), stop,
                      out);
      begin = start;
    }
  }
  append_composed(std::string_view(text).substr(begin), options_of(form), stop, out);
  text = std::move(out);
}

// Rewrites character by character: edit(code, out) appends what stands for `code`. False if nothing
// stands for the first.
template <class Edit>
bool rewrite(std::string& text, StopCheck& stop, Edit edit) {
  std::string out;
  out.reserve(text.size());
  bool keeps_start = true;
  for (size_t at = 0; at < text.size();) {
    stop.step();
    const bool first = at == 0;
    edit(next_code(text, at), out);
    keeps_start = keeps_start && !(first && out.empty());
  }
  text = std::move(out);
  return keeps_start;
}

template <class Drop>
bool drop_if(std::string& text, StopCheck& stop, Drop drop) {
  return rewrite(text, stop, [&](char32_t code, std::string& out) {
    if (!drop(code)) {
      append_utf8(code, out);
    }
  });
}

void lowercase(std::string& text, StopCheck& stop) {
  rewrite(text, stop, [](char32_t code, std::string& out) {
    if (code == 0x130) {  // the one character whose full lower case is two characters
      out += "i\xCC\x87";
      return;
    }
    append_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))), out);
  });
}

bool nmt_drops(char32_t code) {
  return (code >= 0x01 && code <= 0x08) || code == 0x0B || (code >= 0x0E && code <= 0x1F) ||
         code == 0x7F || code == 0x8F || code == 0x9F;
}

bool nmt_space(char32_t code) {
  return code == 0x09 || code == 0x0A || code == 0x0C || code == 0x0D || code == 0x1680 ||
         (code >= 0x200B && code <= 0x200F) || code == 0x2028 || code == 0x2029 || code == 0x2581 ||
         code == 0xFEFF || code == 0xFFFD;
}

bool nmt(std::string& text, StopCheck& stop) {
  return rewrite(text, stop, [](char32_t code, std::string& out) {
    if (!nmt_drops(code)) {
      append_utf8(nmt_space(code) ? U' ' : code, out);
    }
  });
}

bool replace(std::string& text, const ReplaceStep& step, const GrowthLimit& limit,
             StopCheck& stop) {
  const std::vector<TextSpan> matches = step.regex.find_all(text, stop);
  if (matches.empty()) {
    return true;
  }
  const TextSpan first = matches.front();
  const bool drops_start = first.begin == 0 && first.end > 0 && step.content.empty();
  std::string out;
  size_t at = 0;
  for (const TextSpan& match : matches) {
    out.append(text, at, match.begin - at);
    out += step.content;
    limit.check(out.size());
    at = match.end;
  }
  out.append(text, at);
  text = std::move(out);
  return !drops_start;
}

bool strip(std::string& text, const StripStep& step) {
  size_t begin = 0;
  size_t last = 0;  // end of the last character that is not white space
  bool seen = false;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    if (!is_whitespace(next_code(text, at))) {
      begin = seen ? begin : start;
      last = at;
      seen = true;
    }
  }
  if (!seen) {
    begin = text.size();
    last = step.left ? text.size() : 0;
  }
  const size_t from = step.left ? begin : 0;
  const size_t to = step.right ? last : text.size();
  text = from < to ? text.substr(from, to - from) : "";
  return from == 0;
}

bool bert(std::string& text, const BertStep& step, StopCheck& stop) {
  bool keeps_start = true;
  if (step.clean_text) {
    keeps_start = rewrite(text, stop, [](char32_t code, std::string& out) {
      const bool kept_control = code == '\t' || code == '\n' || code == '\r';
      if (code == 0 || code == kReplacementCharacter || (!kept_control && is_control(code))) {
        return;
      }
      append_utf8(is_whitespace(code) ? U' ' : code, out);
    });
  }
  if (step.handle_chinese_chars) {
    rewrite(text, stop, [](char32_t code, std::string& out) {
      const bool apart = is_cjk_ideograph(code);
      out += apart ? " " : "";
      append_utf8(code, out);
      out += apart ? " " : "";
    });
  }
  if (step.strip_accents) {
    compose(text, UnicodeForm::kNfd, stop);
    keeps_start = drop_if(text, stop, is_nonspacing_mark) && keeps_start;
  }
  if (step.lowercase) {
    lowercase(text, stop);
  }
  return keeps_start;
}

// The end of the grapheme cluster that begins at `at`.
size_t grapheme_end(std::string_view text, size_t at) {
  utf8proc_int32_t state = 0;
  char32_t before = next_code(text, at);
  while (at < text.size()) {
    size_t next = at;
    const char32_t code = next_code(text, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                         static_cast<utf8proc_int32_t>(code), &state)) {
      break;
    }
    before = code;
    at = next;
  }
  return at;
}

// The library asks the map for short grapheme clusters first, then for single characters, and takes
// the map's shortest key in both cases.
void precompiled(std::string& text, const CharsMap& map, const GrowthLimit& limit,
                 StopCheck& stop) {
  constexpr size_t kShortCluster = 6;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    stop.step();
    const size_t end = grapheme_end(text, at);
    const std::string_view cluster = std::string_view(text).substr(at, end - at);
    if (cluster.size() < kShortCluster) {
      if (const auto match = map.shortest_match(cluster)) {
        out += match->replacement;
        limit.check(out.size());
        at = end;
        continue;
      }
    }
    while (at < end) {
      const size_t start = at;
      next_code(text, at);
      const std::string_view character = std::string_view(text).substr(start, at - start);
      const auto match = map.shortest_match(character);
      out += match.has_value() ? match->replacement : character;
      limit.check(out.size());
    }
    at = end;
  }
  text = std::move(out);
}

// SentencePiece's rules: the longest key of the map first; runs of spaces become one mark, and
// spaces at the ends vanish, if extra white space is removed. Text may hold marks of its own.
void sentence_piece(std::string& text, const SentencePieceStep& step, const GrowthLimit& limit,
                    StopCheck& stop) {
  std::string out;
  if (!text.empty() && step.add_dummy_prefix && !step.remove_extra_whitespaces) {
    out = kSpaceMark;
  }
  bool in_word = false;
  const auto put = [&](std::string_view part) {
    for (const char c : part) {
      if (c == ' ') {
        in_word = false;
        out += step.remove_extra_whitespaces ? "" : kSpaceMark;
        continue;
      }
      if (!in_word && step.remove_extra_whitespaces && (!out.empty() || step.add_dummy_prefix)) {
        out += kSpaceMark;
      }
      in_word = true;
      out += c;
    }
  };
  for (size_t at = 0; at < text.size();) {
    stop.step();
    const std::string_view rest = std::string_view(text).substr(at);
    const auto match = step.map == nullptr ? std::nullopt : step.map->longest_match(rest);
    if (match.has_value()) {
      put(match->replacement);
      limit.check(out.size());
      at += match->size;
    } else {
      const size_t start = at;
      next_code(text, at);
      put(std::string_view(text).substr(start, at - start));
    }
  }
  while (step.remove_extra_whitespaces && out.ends_with(kSpaceMark)) {
    out.resize(out.size() - kSpaceMark.size());
  }
  text = std::move(out);
}

// Each returns false if it drops the beginning of the text.
struct StepRunner {
  std::string& text;
  const GrowthLimit& limit;
  StopCheck& stop;

  bool operator()(const ComposeStep& step) const {
    compose(text, step.form, stop);
    return true;
  }
  bool operator()(const LowercaseStep&) const {
    lowercase(text, stop);
    return true;
  }
  bool operator()(const StripAccentsStep&) const { return drop_if(text, stop, is_mark); }
  bool operator()(const NmtStep&) const { return nmt(text, stop); }
  bool operator()(const SpellBytesStep&) const {
    std::string out;
    append_byte_characters(text, out);
    text = std::move(out);
    return true;
  }
  bool operator()(const PrependStep& step) const {
    if (!text.empty()) {
      text.insert(0, step.prefix);
    }
    return true;
  }
  bool operator()(const ReplaceStep& step) const { return replace(text, step, limit, stop); }
  bool operator()(const StripStep& step) const { return strip(text, step); }
  bool operator()(const BertStep& step) const { return bert(text, step, stop); }
  // What the map drops at the beginning counts as kept, in the format's reference.
  bool operator()(const PrecompiledStep& step) const {
    precompiled(text, *step.map, limit, stop);
    return true;
  }
  bool operator()(const SentencePieceStep& step) const {
    sentence_piece(text, step, limit, stop);
    return true;
  }
};

}  // namespace

bool normalize_text(const std::vector<NormalizerStep>& steps, std::string_view file,
                    std::string& text, StopCheck& stop) {
  const GrowthLimit limit(file, "normalizer", text.size());
  bool keeps_start = true;
  for (const NormalizerStep& step : steps) {
    keeps_start = std::visit(StepRunner{text, limit, stop}, step) && keeps_start;
    limit.check(text.size());
  }
  return keeps_start;
}

}  // namespace invar

// The differences that matter, each with its rewriting:
//   \s \w \h \b      other sets of characters          -> explicit properties, look-arounds
//   \p{Han}          script extensions in PCRE2        -> \p{sc:Han}
//   \p{Letter}       long names unknown to PCRE2       -> short names
//   [a[^b]&&[c]]     nested and intersected classes    -> alternations and look-aheads
//   [[:punct:]]      other symbols                     -> explicit set
//   (?m:...)         "dot matches newline"             -> (?s:...)
//   x{,3} x{1,3}+    missing minimum; not possessive   -> x{0,3}, x{1,}
//   ^ $              always at line borders            -> PCRE2_MULTILINE, set by the compiler
#include "text/regex_syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/error.h"
#include "formats/printable.h"

namespace invar {
namespace {

// [[:word:]] and \w inside a class; \w alone has the superscripts and fractions of Latin-1 besides.
constexpr std::string_view kPosixWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kWord =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be})";
constexpr int kMaxNesting = 32;

struct Rename {
  std::string_view from;
  std::string_view to;
};

// General categories by their long names. Names not listed here and longer than two letters are
// taken for scripts, but for the binary properties below.
constexpr auto kCategories = std::to_array<Rename>({
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"Format", "Cf"},
    {"Punct", "P"},
    {"Digit", "Nd"},
    {"Space", "White_Space"},
    {"Alpha", "Alphabetic"},
    {"Upper", "Uppercase"},
    {"Lower", "Lowercase"},
});

constexpr auto kBinaryProperties = std::to_array<std::string_view>({
    "Alphabetic",
    "White_Space",
    "Any",
    "Emoji",
    "Emoji_Presentation",
    "Emoji_Modifier",
    "Emoji_Component",
    "Extended_Pictographic",
    "Uppercase",
    "Lowercase",
    "ASCII",
    "Ideographic",
});

class Rewriter {
 public:
  Rewriter(std::string_view pattern, std::string_view where) : pattern_(pattern), where_(where) {}

  std::string run() {
    std::string out;
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        escape(out, false);
      } else if (c == '[') {
        out += char_class(0);
      } else if (starts_with("(?")) {
        group_options(out);
      } else if (c == '{') {
        interval(out);
      } else {
        out += c;
        ++at_;
      }
    }
    return out;
  }

 private:
  bool starts_with(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  [[noreturn]] void refuse(std::string_view what) const {
    fail(Code::kUnsupported, "{}: pattern at byte {}: {} is not supported: '{}'", where_, at_, what,
         printable(pattern_));
  }

  // One backslash construct, at_ on the backslash.
  void escape(std::string& out, bool in_class) {
    if (at_ + 1 >= pattern_.size()) {
      out += '\\';
      ++at_;
      return;
    }
    const char kind = pattern_[at_ + 1];
    if (kind == 'p' || kind == 'P') {
      property(out);
      return;
    }
    if (kind == 'u') {
      unicode_escape(out);
      return;
    }
    at_ += 2;
    switch (kind) {
      case 's':
        out += R"(\p{White_Space})";
        return;
      case 'S':
        out += R"(\P{White_Space})";
        return;
      case 'w':
        append_set(out, in_class ? kPosixWord : kWord, in_class);
        return;
      case 'h':
        append_set(out, "0-9a-fA-F", in_class);
        return;
      case 'W':
      case 'H':
        negated_set(out, kind, in_class);
        return;
      case 'b':
      case 'B':
        boundary(out, kind, in_class);
        return;
      default:
        out += '\\';
        out += kind;
        return;
    }
  }

  static void append_set(std::string& out, std::string_view set, bool in_class) {
    if (in_class) {
      out += set;
    } else {
      out += '[';
      out += set;
      out += ']';
    }
  }

  void negated_set(std::string& out, char kind, bool in_class) {
    if (in_class) {
      refuse(kind == 'W' ? R"(\W inside a class)" : R"(\H inside a class)");
    }
    out += "[^";
    out += kind == 'W' ? kWord : std::string_view("0-9a-fA-F");
    out += ']';
  }

  void boundary(std::string& out, char kind, bool in_class) const {
    if (in_class) {
      out += R"(\x08)";  // inside a class \b is the backspace
      return;
    }
    const std::string word = "[" + std::string(kWord) + "]";
    const std::string before = "(?<=" + word + ")";
    const std::string not_before = "(?<!" + word + ")";
    const std::string after = "(?=" + word + ")";
    const std::string not_after = "(?!" + word + ")";
    out += kind == 'b' ? "(?:" + before + not_after + "|" + not_before + after + ")"
                       : "(?:" + before + after + "|" + not_before + not_after + ")";
  }

  void unicode_escape(std::string& out) {
    const std::string_view digits = pattern_.substr(std::min(at_ + 2, pattern_.size()), 4);
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) {
      refuse(R"(\u without four hexadecimal digits)");
    }
    out += "\\x{";
    out += digits;
    out += '}';
    at_ += 6;
  }

  // \p{Name}, \p{^Name}, \P{Name}.
  void property(std::string& out) {
    const size_t open = at_ + 2;
    const size_t close = pattern_.find('}', at_);
    if (open >= pattern_.size() || pattern_[open] != '{' || close == pattern_.npos) {
      out += pattern_.substr(at_, 2);
      at_ += 2;
      return;
    }
    std::string_view name = pattern_.substr(open + 1, close - open - 1);
    out += pattern_.substr(at_, 2);
    out += '{';
    if (name.starts_with('^')) {
      out += '^';
      name.remove_prefix(1);
    }
    out += property_name(name);
    out += '}';
    at_ = close + 1;
  }

  static std::string property_name(std::string_view name) {
    for (const Rename& category : kCategories) {
      if (category.from == name) {
        return std::string(category.to);
      }
    }
    const bool binary = std::find(kBinaryProperties.begin(), kBinaryProperties.end(), name) !=
                        kBinaryProperties.end();
    const bool qualified = name.find_first_of("=:") != name.npos;
    if (name.size() <= 2 || binary || qualified) {
      return std::string(name);
    }
    return "sc:" + std::string(name);
  }

  // A class as an expression that matches one character; at_ on its bracket.
  std::string char_class(int depth) {
    if (depth > kMaxNesting) {
      refuse("a class nested this deep");
    }
    ++at_;
    const bool negated = at_ < pattern_.size() && pattern_[at_] == '^';
    at_ += negated ? 1 : 0;
    std::vector<std::string> operands;  // of &&
    std::string set;
    std::vector<std::string> nested;
    bool first = true;
    while (at_ < pattern_.size() && (pattern_[at_] != ']' || first)) {
      if (starts_with("&&")) {
        operands.push_back(operand(set, nested));
        set.clear();
        nested.clear();
        at_ += 2;
      } else if (starts_with("[:")) {
        posix_set(set);
      } else if (pattern_[at_] == '[') {
        nested.push_back(char_class(depth + 1));
      } else if (pattern_[at_] == '\\') {
        escape(set, true);
      } else {
        set += pattern_[at_++];
      }
      first = false;
    }
    const bool closed = at_ < pattern_.size();
    at_ += closed ? 1 : 0;
    if (operands.empty() && nested.empty()) {
      return std::string(negated ? "[^" : "[") + set + (closed ? "]" : "");
    }
    operands.push_back(operand(set, nested));
    return combine(operands, negated);
  }

  static std::string operand(const std::string& set, const std::vector<std::string>& nested) {
    std::string out = set.empty() ? "" : "[" + set + "]";
    for (const std::string& inner : nested) {
      out += (out.empty() ? "" : "|") + inner;
    }
    return "(?:" + out + ")";
  }

  static std::string combine(const std::vector<std::string>& operands, bool negated) {
    std::string all;
    for (size_t i = 0; i + 1 < operands.size(); ++i) {
      all += "(?=" + operands[i] + ")";
    }
    all = "(?:" + all + operands.back() + ")";
    return negated ? "(?:(?!" + all + ")(?s:.))" : all;
  }

  // [:name:] inside a class.
  void posix_set(std::string& out) {
    const size_t close = pattern_.find(":]", at_);
    const std::string_view name =
        pattern_.substr(at_ + 2, close == pattern_.npos ? 0 : close - at_ - 2);
    constexpr auto kSets = std::to_array<Rename>({{"punct", R"(\p{P}\p{S})"},
                                                  {"space", R"(\p{White_Space})"},
                                                  {"digit", R"(\p{Nd})"},
                                                  {"alpha", R"(\p{Alphabetic})"},
                                                  {"upper", R"(\p{Uppercase})"},
                                                  {"lower", R"(\p{Lowercase})"},
                                                  {"word", kPosixWord},
                                                  {"alnum", R"(\p{Alphabetic}\p{Nd})"},
                                                  {"xdigit", "0-9a-fA-F"},
                                                  {"blank", R"(\p{Zs}\t)"},
                                                  {"cntrl", R"(\p{Cc})"}});
    for (const Rename& set : kSets) {
      if (set.from == name) {
        out += set.to;
        at_ = close + 2;
        return;
      }
    }
    refuse("the class [:" + std::string(name) + ":]");
  }

  // "(?" with option letters: m means "dot matches newline".
  void group_options(std::string& out) {
    const size_t end = pattern_.find_first_not_of("imx-", at_ + 2);
    const bool options =
        end != pattern_.npos && end > at_ + 2 && (pattern_[end] == ':' || pattern_[end] == ')');
    const size_t stop = options ? end : at_ + 2;
    for (; at_ < stop; ++at_) {
      out += pattern_[at_] == 'm' ? 's' : pattern_[at_];
    }
  }

  // {,n} and {n,m}+; at_ on the brace.
  void interval(std::string& out) {
    const size_t close = pattern_.find('}', at_);
    const std::string_view body =
        close == pattern_.npos ? "" : pattern_.substr(at_ + 1, close - at_ - 1);
    const size_t comma = body.find(',');
    if (body.empty() || body.find_first_not_of("0123456789,") != body.npos || body == ",") {
      out += '{';
      ++at_;
      return;
    }
    const std::string low(comma == 0 ? "0" : body.substr(0, comma));
    const bool repeated = close + 1 < pattern_.size() && pattern_[close + 1] == '+';
    if (repeated && low != "0" && low != "1") {
      refuse("a repeated interval whose minimum is above 1");
    }
    at_ = close + (repeated ? 2 : 1);
    if (repeated) {
      out += "{" + low + ",}";
    } else {
      out += "{" + low + (comma == body.npos ? "" : std::string(body.substr(comma))) + "}";
    }
  }

  std::string_view pattern_;
  std::string_view where_;
  size_t at_ = 0;
};

}  // namespace

std::string pcre2_from_oniguruma(std::string_view pattern, std::string_view where) {
  return Rewriter(pattern, where).run();
}

}  // namespace invar

// Template source to tokens (lexer.h).
#include "text/jinja/lexer.h"

#include <algorithm>
#include <array>

#include "text/jinja/literals.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

// Longest first, so that the first match is the right one.
constexpr std::array<std::string_view, 26> kOperators = {
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
    "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};

// CRLF and CR become LF, and the last line's end is dropped, as the reference environment does.
std::string normalize_newlines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
      continue;
    }
    result += '\n';
    i += i + 1 < text.size() && text[i + 1] == '\n';
  }
  if (!result.empty() && result.back() == '\n') {
    result.pop_back();
  }
  return result;
}

class Lexer {
 public:
  explicit Lexer(const Source& source)
      : name_(source.name), owned_(normalize_newlines(source.text)), source_(owned_) {}

  std::vector<Token> run() {
    while (position_ < source_.size()) {
      const size_t begin = find_tag();
      if (begin == std::string_view::npos) {
        add_text(source_.substr(position_));
        advance_to(source_.size());
        break;
      }
      read_tag(begin);
    }
    add(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail_here(const std::string& message) const {
    fail(Code::kBadFile, "{}:{}: {}", name_, line_, message);
  }

  std::string_view rest() const { return source_.substr(position_); }
  bool at(std::string_view text) const { return rest().starts_with(text); }

  // Moves on and counts the lines passed.
  void advance_to(size_t position) {
    line_ +=
        static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(position_),
                                    source_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
    position_ = position;
  }

  void add(TokenKind kind, std::string text) {
    tokens_.push_back({kind, line_, std::move(text), {}});
  }
  void add_text(std::string_view text) {
    if (!text.empty()) {
      add(TokenKind::kText, std::string(text));
    }
  }

  // The next `{{`, `{%` or `{#`.
  size_t find_tag() const {
    for (size_t i = source_.find('{', position_); i != std::string_view::npos;
         i = source_.find('{', i + 1)) {
      if (i + 1 < source_.size() &&
          (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#')) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  // The text before a tag at `begin`, without what the tag's sign and lstrip_blocks take away.
  std::string_view text_before(size_t begin, char sign, bool is_variable) const {
    const std::string_view text = source_.substr(position_, begin - position_);
    if (sign == '-') {
      return strip_right(text);
    }
    if (sign == '+' || is_variable) {
      return text;
    }
    const size_t newline = text.rfind('\n');
    const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
    const bool starts_line = line_begin > 0 || position_ == 0 || source_[position_ - 1] == '\n';
    if (starts_line && strip_left(text.substr(line_begin)).empty()) {
      return text.substr(0, line_begin);
    }
    return text;
  }

  static char sign_at(std::string_view source, size_t position) {
    const char sign = position < source.size() ? source[position] : '\0';
    return sign == '-' || sign == '+' ? sign : '\0';
  }

  void read_tag(size_t begin) {
    const char opener = source_[begin + 1];
    const char sign = sign_at(source_, begin + 2);
    add_text(text_before(begin, sign, opener == '{'));
    const size_t content = begin + 2 + (sign != '\0');
    advance_to(begin);
    if (opener == '#') {
      skip_comment(content);
    } else if (opener == '{') {
      add(TokenKind::kVariableBegin, "");
      advance_to(content);
      read_expression_tokens("}}");
      add(TokenKind::kVariableEnd, "");
      end_tag("}}");
    } else if (const size_t raw = raw_content(content); raw != 0) {
      advance_to(raw);
      read_raw();
    } else {
      add(TokenKind::kStatementBegin, "");
      advance_to(content);
      read_expression_tokens("%}");
      add(TokenKind::kStatementEnd, "");
      end_tag("%}");
    }
  }

  // Moves past `-%}` and the whitespace after it, `+%}`, or `%}` and a newline.
  void end_tag(std::string_view closer) {
    const char sign = sign_at(source_, position_);
    size_t end = position_ + (sign != '\0') + closer.size();
    if (sign == '-') {
      end = source_.size() - strip_left(source_.substr(end)).size();
    } else if (sign == '\0' && closer != "}}" && end < source_.size() && source_[end] == '\n') {
      ++end;
    }
    advance_to(end);
  }

  void skip_comment(size_t content) {
    const size_t close = source_.find("#}", content);
    if (close == std::string_view::npos) {
      fail_here("Missing end of comment tag");
    }
    const bool signed_close =
        close > content && (source_[close - 1] == '-' || source_[close - 1] == '+');
    advance_to(close - signed_close);
    end_tag("#}");
  }

  size_t skip_spaces(size_t position) const {
    return source_.size() - strip_left(source_.substr(position)).size();
  }

  // If a block tag's content is `raw %}`: where the raw text begins. Otherwise 0.
  size_t raw_content(size_t content) const {
    const size_t word = skip_spaces(content);
    if (!source_.substr(word).starts_with("raw")) {
      return 0;
    }
    const size_t close = skip_spaces(word + 3);
    if (source_.substr(close).starts_with("-%}")) {
      return skip_spaces(close + 3);
    }
    return source_.substr(close).starts_with("%}") ? close + 2 : 0;
  }

  void read_raw() {
    for (size_t begin = source_.find("{%", position_); begin != std::string_view::npos;
         begin = source_.find("{%", begin + 1)) {
      const char sign = sign_at(source_, begin + 2);
      const size_t word = skip_spaces(begin + 2 + (sign != '\0'));
      if (!source_.substr(word).starts_with("endraw")) {
        continue;
      }
      const size_t close = skip_spaces(word + 6);
      const size_t closer = close + (sign_at(source_, close) != '\0');
      if (!source_.substr(closer).starts_with("%}")) {
        continue;
      }
      add_text(text_before(begin, sign, false));
      advance_to(close);
      end_tag("%}");
      return;
    }
    fail_here("Missing end of raw directive");
  }

  // Up to the closer, which counts only outside of brackets; `-` and `+` may stand before it.
  void read_expression_tokens(std::string_view closer) {
    std::string brackets;  // the closing brackets that are awaited
    while (true) {
      advance_to(skip_spaces(position_));
      if (position_ == source_.size()) {
        fail_here(fmt::format("unexpected end of template, expected '{}'", closer));
      }
      const bool signed_closer = at("-") || (at("+") && closer == "%}");
      if (brackets.empty() &&
          (at(closer) || (signed_closer && rest().substr(1).starts_with(closer)))) {
        return;
      }
      read_token(brackets);
    }
  }

  void read_token(std::string& brackets) {
    const char first = source_[position_];
    const bool after_dot = !tokens_.empty() && position_ > 0 && source_[position_ - 1] == '.';
    size_t end = position_;
    Token token{TokenKind::kLiteral, line_, {}, {}};
    if (first >= '0' && first <= '9') {
      token.literal = read_number(rest(), after_dot, end);
    } else if (first == '\'' || first == '"') {
      token.literal = read_string(rest(), end);
    } else {
      read_name_or_operator(token, end, brackets);
    }
    tokens_.push_back(std::move(token));
    advance_to(end);
  }

  Value read_number(std::string_view text, bool after_dot, size_t& end) const {
    const NumberScan scan = scan_number(text, after_dot);
    if (!scan.error.empty()) {
      fail_here(scan.error);
    }
    end += scan.size;
    return scan.value;
  }

  Value read_string(std::string_view text, size_t& end) const {
    const StringScan scan = scan_string(text);
    if (!scan.error.empty()) {
      fail_here(scan.error);
    }
    end += scan.size;
    return Value::literal(scan.text);
  }

  void read_name_or_operator(Token& token, size_t& end, std::string& brackets) const {
    size_t next = position_;
    if (is_identifier_start(next_code_point(source_, next))) {
      token.kind = TokenKind::kName;
      while (next < source_.size()) {
        size_t after = next;
        if (!is_identifier_part(next_code_point(source_, after))) {
          break;
        }
        next = after;
      }
      token.text = source_.substr(position_, next - position_);
      end = next;
      return;
    }
    const auto* op = std::find_if(kOperators.begin(), kOperators.end(),
                                  [&](std::string_view text) { return at(text); });
    if (op == kOperators.end()) {
      fail_here(fmt::format("unexpected char '{}'", source_.substr(position_, next - position_)));
    }
    token.kind = TokenKind::kOperator;
    token.text = *op;
    end += op->size();
    balance(op->front(), brackets);
  }

  void balance(char op, std::string& brackets) const {
    if (op == '(' || op == '[' || op == '{') {
      brackets += op == '(' ? ')' : op == '[' ? ']' : '}';
    } else if (op == ')' || op == ']' || op == '}') {
      if (brackets.empty()) {
        fail_here(fmt::format("unexpected '{}'", op));
      }
      if (brackets.back() != op) {
        fail_here(fmt::format("unexpected '{}', expected '{}'", op, brackets.back()));
      }
      brackets.pop_back();
    }
  }

  std::string name_;
  std::string owned_;
  std::string_view source_;
  size_t position_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const Source& source) {
  if (!is_valid_utf8(source.text)) {
    fail(Code::kBadFile, "{}: the template is not UTF-8", source.name);
  }
  return Lexer(source).run();
}

}  // namespace invar::jinja

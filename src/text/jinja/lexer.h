// Template source to tokens, whitespace control done: trim_blocks, lstrip_blocks, the signs of
// `{%-`, `-%}`, `{%+` and `+%}`, comments dropped and raw text taken over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"

namespace invar::jinja {

enum class TokenKind {
  kText,            // outside of tags
  kStatementBegin,  // {%
  kStatementEnd,    // %}
  kVariableBegin,   // {{
  kVariableEnd,     // }}
  kName,
  kLiteral,   // a number or a string
  kOperator,  // text holds it
  kEnd,       // once, at the end of the source
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int line = 1;
  std::string text;  // of kText, kName and kOperator
  Value literal;

  bool is_operator(std::string_view op) const { return kind == TokenKind::kOperator && text == op; }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

struct Source {
  std::string_view text;  // UTF-8
  std::string_view name;  // for messages
};

// Error kBadFile "name:line: message".
std::vector<Token> tokenize(const Source& source);

}  // namespace invar::jinja

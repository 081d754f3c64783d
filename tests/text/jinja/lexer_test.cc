// Tokens and white space around tags.
#include "text/jinja/lexer.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Lexer, ReadsPrintStatements) {
  expect_texts({
      {"a {{ 1 }} b", "a 1 b"},
      {"x{{- ' y ' -}}  z", "x y z"},
      {"x {{- 'y' }} z", "xy z"},
      {"{{ 'a' }}\n\n", "a\n"},
      {"a\r\nb\rc\r\n", "a\nb\nc"},
      {"{{ '}}' }}{{ \"%}\" }}", "}}%}"},
      {"{{ {'a': {'b': 1}} }}", "{'a': {'b': 1}}"},
      {"{{ d.b.c.0 }}", "10"},
      {"{{- '  x  ' -}}  ", "  x  "},
      {"{{ 3 -}}  x", "3x"},
      {"é{{ 'é' }}", "éé"},
      {"{{ 1 }}\n{{ 2 }}\n", "1\n2"},
      {"{{s}}", "Hello World"},
      {"{{'a'if true else'b'}}", "a"},
      {"{{ '\342\200\250' ~ 1 }}", "\342\200\2501"},
  });
}

TEST(Lexer, DropsComments) {
  expect_texts({
      {"{# c #}x", "x"},
      {"a\n{# c #}\nb", "a\nb"},
      {"a\n  {# c #}  \nb", "a\n  \nb"},
      {"{#- a -#}  x", "x"},
      {"x  {#- a #}  y", "x  y"},
      {"{# a +#}\nx", "\nx"},
  });
}

TEST(Lexer, TrimsAroundStatements) {
  expect_texts({
      {"{% if true %}\nx\n{% endif %}\ny", "x\ny"},
      {"  {% if true %}\n  x\n  {% endif %}\n  y", "  x\n  y"},
      {"a {%- if true -%} b {%- endif -%} c", "abc"},
      {"a {%+ if true %} b {%+ endif %} c", "a  b  c"},
      {"{% if true +%}\nx{% endif %}", "\nx"},
      {"a\n{%- if true %}\nx{% endif %}", "ax"},
      {"a\t{% if true %}b{% endif %}", "a\tb"},
      {"\n{% if true %}x{% endif %}", "\nx"},
      {" \n {% if true %}x{% endif %}", " \nx"},
      {"{% if true %} {% if true %}x{% endif %}{% endif %}", " x"},
      {"{%if true%}x{%endif%}", "x"},
      {"{% set x = 1 %}\n\n{{ x }}", "\n1"},
      {"x\302\240{%- if true %}y{% endif %}", "xy"},
      {"x\n\302\240{% if true %}y{% endif %}", "x\ny"},
  });
}

TEST(Lexer, TakesRawTextOver) {
  expect_texts({
      {"{% raw %}{{ x }}{% if %}{% endraw %}z", "{{ x }}{% if %}z"},
      {"a {%- raw -%}  {{ x }}  {%- endraw -%}  b", "a{{ x }}b"},
      {"{% raw %}\nx\n{% endraw %}\ny", "\nx\ny"},
      {"  {% raw %}x\n  {% endraw %}\ny", "x\ny"},
      {"{% raw -%}  a{% endraw %}", "a"},
      {"a {% raw %} b {% endraw -%} c", "a  b c"},
      {"a\n    {%+ raw %} b {% endraw +%}\nc", "a\n     b \nc"},
  });
}

TEST(Lexer, RefusesWhatIsNoToken) {
  expect_messages({
      {"{{ 1 ", "t:1: unexpected end of template, expected '}}'"},
      {"{% if true", "t:1: unexpected end of template, expected '%}'"},
      {"{# x", "t:1: Missing end of comment tag"},
      {"{% raw %}x", "t:1: Missing end of raw directive"},
      {"{{ ) }}", "t:1: unexpected ')'"},
      {"{{ (] }}", "t:1: unexpected ']', expected ')'"},
      {"{{ a ? b }}", "t:1: unexpected char '?'"},
      {"{{ $ }}", "t:1: unexpected char '$'"},
      {"{{ } }}", "t:1: unexpected '}'"},
  });
}

}  // namespace
}  // namespace invar::jinja

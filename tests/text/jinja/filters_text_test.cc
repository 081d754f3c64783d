// Filters on texts.
#include "text/jinja/filters.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(FiltersText, Upper) {
  expect_texts({
      {"{{ s|upper }}", "HELLO WORLD"},
      {"{{ u|upper }}", "ZÜRICH SS 漢字 😀"},
      {"{{ 5|upper }}", "5"},
      {"{{ [1]|upper }}", "[1]"},
      {"{{ 'ß'|upper }}", "SS"},
  });
}

TEST(FiltersText, Lower) {
  expect_texts({
      {"{{ s|lower }}", "hello world"},
      {"{{ u|lower }}", "zürich ß 漢字 😀"},
      {"{{ none|lower }}", "none"},
      {"{{ 'ΑΣ'|lower }}", "ας"},
  });
}

TEST(FiltersText, Capitalize) {
  expect_texts({
      {"{{ 'hello wORLD'|capitalize }}", "Hello world"},
  });
}

TEST(FiltersText, Title) {
  expect_texts({
      {"{{ 'hello wORLD-foo (bar) [baz'|title }}", "Hello World-Foo (Bar) [Baz"},
      {"{{ 'ǆ'|title }}", "Ǆ"},
  });
}

TEST(FiltersText, Trim) {
  expect_texts({
      {"{{ '  x '|trim }}", "x"},
      {"{{ 'xxaxx'|trim('x') }}", "a"},
      {"{{ 5|trim }}", "5"},
      {"{{ '\302\240x\343\200\200'|trim }}|", "x|"},
  });
}

TEST(FiltersText, Replace) {
  expect_texts({
      {"{{ 'aXbXc'|replace('X','-') }}", "a-b-c"},
      {"{{ 'aXbXc'|replace('X','-',1) }}", "a-bXc"},
      {"{{ 'abc'|replace('','-') }}", "-a-b-c-"},
      {"{{ 123|replace('2','x') }}", "1x3"},
      {"{{ 'aaa'|replace('aa','b') }}", "ba"},
      {"{{ 'abc'|replace('z','y') }}", "abc"},
  });
}

TEST(FiltersText, Center) {
  expect_texts({
      {"{{ 'ab'|center(6) }}", "  ab  "},
      {"{{ 'ab'|center(5) }}", "  ab "},
      {"{{ 'abc'|center(6) }}", " abc  "},
      {"{{ 'abcdef'|center(3) }}|", "abcdef|"},
  });
}

TEST(FiltersText, Indent) {
  expect_texts({
      {"{{ 'a\nb\n\nc'|indent }}|", "a\n    b\n\n    c|"},
      {"{{ 'a\nb\n\nc'|indent(2, true) }}|", "  a\n  b\n\n  c|"},
      {"{{ 'a\nb\n\nc'|indent(2, first=true, blank=true) }}|", "  a\n  b\n  \n  c|"},
      {"{{ 'a\nb'|indent('> ') }}", "a\n> b"},
      {"{{ 'a\n'|indent(2) }}|", "a\n|"},
  });
}

TEST(FiltersText, Truncate) {
  expect_texts({
      {"{{ 'foo bar baz qux'|truncate(9) }}", "foo..."},
      {"{{ 'foo bar baz qux'|truncate(9, true) }}", "foo ba..."},
      {"{{ 'foo bar baz qux'|truncate(11) }}", "foo bar baz qux"},
      {"{{ 'foo bar baz qux'|truncate(11, false, '..', 0) }}", "foo bar.."},
      {"{{ 'foobarbazqux'|truncate(6, leeway=0) }}", "foo..."},
      {"{{ l|truncate }}{{ {'a': 1}|truncate(5) }}{{ range(3)|truncate }}{{ x|truncate }}",
       "[3, 1, 2]{'a': 1}range(0, 3)"},
  });
}

TEST(FiltersText, Urlencode) {
  expect_texts({
      {"{{ 'a b&c/d?é'|urlencode }}", "a%20b%26c/d%3F%C3%A9"},
      {"{{ {'a': 'b c', 'd': 1}|urlencode }}", "a=b+c&d=1"},
      {"{{ [('x', 'y/z')]|urlencode }}", "x=y%2Fz"},
      {"{{ 5|urlencode }}", "5"},
  });
}

TEST(FiltersText, Wordcount) {
  expect_texts({
      {"{{ 'foo bar_baz  qux-1'|wordcount }}", "4"},
      {"{{ ''|wordcount }}", "0"},
  });
}

TEST(FiltersText, Format) {
  expect_texts({
      {"{{ '%s is %d and %.2f'|format('x', 3, 2.5) }}", "x is 3 and 2.50"},
      {"{{ '%(a)s-%(b)s'|format(a=1, b='z') }}", "1-z"},
      {"{{ 'plain'|format }}", "plain"},
  });
}

TEST(FiltersText, String) {
  expect_texts({
      {"{{ 5|string }}", "5"},
      {"{{ none|string }}", "None"},
      {"{{ [1,'a']|string }}", "[1, 'a']"},
      {"{{ 1.0|string ~ 'x' }}", "1.0x"},
      {"{{ true|string }}", "True"},
  });
}

TEST(FiltersText, RefusesBadInput) {
  expect_messages({
      {"{{ 'a'|truncate(1) }}",
       "t:1: truncate expects a length of at least 3 and a leeway of at least 0"},
      {"{{ 'a'|replace }}", "t:1: replace() misses its argument 'old'"},
      {"{{ 'a'|replace('b') }}", "t:1: replace() misses its argument 'new'"},
      {"{{ '%d'|format('x') }}", "t:1: %d format: a real number is required, not str"},
      {"{{ '%s'|format }}", "t:1: not enough arguments for format string"},
      {"{{ '%s'|format(1, a=2) }}",
       "t:1: format can't handle positional and keyword arguments at the same time"},
      {"{{ 'a'|upper(1) }}", "t:1: upper() takes at most 0 arguments (1 given)"},
      {"{{ 'a'|trim(5) }}", "t:1: strip arg must be None or str, not int"},
      {"{{ 5|indent }}", "t:1: indent takes a string, not int"},
      {"{{ none|indent }}", "t:1: indent takes a string, not NoneType"},
      {"{{ x|indent }}", "t:1: 'x' is undefined"},
      {"{{ b|truncate(5) }}", "t:1: object of type 'bool' has no len()"},
      {"{{ l|map('string')|truncate }}", "t:1: object of type 'generator' has no len()"},
      {"{{ range(300)|truncate }}", "t:1: truncate shortens a string, not range"},
      {"{{ 'a'|indent(x=1) }}", "t:1: indent() got an unexpected keyword argument 'x'"},
      {"{{ '%q'|format(1) }}", "t:1: unsupported format character 'q'"},
      {"{{ range(3)|tojson }}", "t:1: Object of type range is not JSON serializable"},
      {"{{ d.items()|tojson }}", "t:1: Object of type dict_items is not JSON serializable"},
  });
}

}  // namespace
}  // namespace invar::jinja

// Methods of texts.
#include "text/jinja/methods.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(TextMethods, ChangesCase) {
  expect_texts({
      {"{{ s.upper() }}", "HELLO WORLD"},
      {"{{ s.lower() }}", "hello world"},
      {"{{ s.title() }}", "Hello World"},
      {"{{ 'hello wORLD'.capitalize() }}", "Hello world"},
      {"{{ s.swapcase() }}", "hELLO wORLD"},
      {"{{ \"they're bill's\".title() }}", "They'Re Bill'S"},
      {"{{ 'ß'.upper() }}", "SS"},
      {"{{ 'STRASSE'.casefold() }}", "strasse"},
      {"{{ s.upper().lower().title() }}", "Hello World"},
      {"{{ 'ΣΑΣ'.lower() }}", "σας"},
      {"{{ 'ΑΣ Β'.lower() }}", "ας β"},
  });
}

TEST(TextMethods, Strips) {
  expect_texts({
      {"{{ '  x '.strip() }}|{{ '  x '.lstrip() }}|{{ '  x '.rstrip() }}", "x|x |  x"},
      {"{{ 'xyaxy'.strip('xy') }}", "a"},
      {"{{ 'xa'.lstrip('x') }}", "a"},
      {"{{ 'ax'.rstrip('x') }}", "a"},
      {"{{ 'éaé'.strip('é') }}", "a"},
      {"{{ ' a'.strip(none) }}", "a"},
      {"{{ 'foobar'.removeprefix('foo') }}", "bar"},
      {"{{ 'foobar'.removesuffix('bar') }}", "foo"},
      {"{{ 'foobar'.removeprefix('x') }}", "foobar"},
  });
}

TEST(TextMethods, Finds) {
  expect_texts({
      {"{{ s.startswith('He') }}", "True"},
      {"{{ s.endswith('ld') }}", "True"},
      {"{{ s.startswith(('x','H')) }}", "True"},
      {"{{ s.endswith(('x','y')) }}", "False"},
      {"{{ s.startswith('W', 6) }}", "True"},
      {"{{ s.startswith('') }}", "True"},
      {"{{ s.endswith('o', 0, 5) }}", "True"},
      {"{{ s.startswith('', 99) }}", "False"},
      {"{{ s.startswith('Hello', 0, 3) }}", "False"},
      {"{{ s.startswith(()) }}", "False"},
      {"{{ s.find('o') }}", "4"},
      {"{{ s.rfind('o') }}", "7"},
      {"{{ s.find('z') }}", "-1"},
      {"{{ s.index('W') }}", "6"},
      {"{{ s.rindex('l') }}", "9"},
      {"{{ s.count('l') }}", "3"},
      {"{{ s.count('') }}", "12"},
      {"{{ s.find('o', 5) }}", "7"},
      {"{{ s.find('o', 0, 4) }}", "-1"},
      {"{{ u.find('漢') }}", "9"},
      {"{{ 'aaa'.count('aa') }}", "1"},
      {"{{ 'aaaa'.rfind('aa') }}", "2"},
      {"{{ s.find('') }}", "0"},
      {"{{ s.rfind('') }}", "11"},
      {"{{ s.find('', 99) }}", "-1"},
      {"{{ s.find('l', -3) }}", "9"},
      {"{{ s.count('o', 5, -1) }}", "1"},
      {"{{ s.find('H', none, none) }}", "0"},
  });
}

TEST(TextMethods, Replaces) {
  expect_texts({
      {"{{ 'aXbX'.replace('X', '-') }}", "a-b-"},
      {"{{ 'aXbX'.replace('X', '-', 1) }}", "a-bX"},
      {"{{ 'abc'.replace('', '.') }}", ".a.b.c."},
      {"{{ 'abc'.replace('b', '') }}", "ac"},
      {"{{ 'éa'.replace('', '.') }}", ".é.a."},
      {"{{ 'abc'.replace('','.',2) }}", ".a.bc"},
      {"{{ 'ab'.replace('a','b',0) }}", "ab"},
      {"{{ 'x'.replace('x', s) }}", "Hello World"},
  });
}

TEST(TextMethods, Pads) {
  expect_texts({
      {"{{ 'ab'.center(6) }}", "  ab  "},
      {"{{ 'ab'.center(5, '*') }}", "**ab*"},
      {"{{ 'ab'.ljust(4, '.') }}", "ab.."},
      {"{{ 'ab'.rjust(4, 'é') }}", "ééab"},
      {"{{ '42'.zfill(5) }}", "00042"},
      {"{{ '-42'.zfill(5) }}", "-0042"},
      {"{{ '+1'.zfill(4) }}", "+001"},
      {"{{ ''.zfill(2) }}", "00"},
      {"{{ 'abc'.zfill(2) }}", "abc"},
      {"{{ 'a'.center(4,'-') }}", "-a--"},
      {"{{ 'abc'.center(6,'-') }}", "-abc--"},
      {"{{ 'abcd'.center(7,'-') }}", "--abcd-"},
      {"{{ 'a\tb'.expandtabs() }}", "a       b"},
      {"{{ 'a\tb\n\tc'.expandtabs(4) }}|", "a   b\n    c|"},
  });
}

TEST(TextMethods, RefusesBadArguments) {
  expect_messages({
      {"{{ s.index('zz') }}", "t:1: substring not found"},
      {"{{ s.rindex('zz') }}", "t:1: substring not found"},
      {"{{ s.startswith(5) }}", "t:1: startswith first arg must be str or a tuple of str, not int"},
      {"{{ s.startswith(('a',5)) }}",
       "t:1: startswith first arg must be str or a tuple of str, not int"},
      {"{{ s.startswith() }}", "t:1: startswith() misses its argument 'affix'"},
      {"{{ s.center(5, 'ab') }}", "t:1: the fill character must be exactly one character long"},
      {"{{ s.center() }}", "t:1: str method() misses its argument 'width'"},
      {"{{ s.replace('a') }}", "t:1: replace() misses its argument 'new'"},
      {"{{ s.replace(1, 2) }}", "t:1: replace(): argument 'new' must be a string, not int"},
      {"{{ s.upper(1) }}", "t:1: str method() takes at most 0 arguments (1 given)"},
      {"{{ s.strip(5) }}", "t:1: strip arg must be None or str, not int"},
      {"{{ s.find() }}", "t:1: find() misses its argument 'sub'"},
  });
}

}  // namespace
}  // namespace invar::jinja

// Filters on sequences.
#include "text/jinja/filters.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(FiltersSequence, Length) {
  expect_texts({
      {"{{ s|length }}", "11"},
      {"{{ l|length }}", "3"},
  });
}

TEST(FiltersSequence, Count) {
  expect_texts({
      {"{{ s|count }}", "11"},
      {"{{ d|count }}", "3"},
  });
}

TEST(FiltersSequence, First) {
  expect_texts({
      {"{{ s|first }}", "H"},
      {"{{ l|first }}", "3"},
      {"{{ e|first }}", ""},
      {"{{ d|first }}", "a"},
  });
}

TEST(FiltersSequence, Last) {
  expect_texts({
      {"{{ s|last }}", "d"},
      {"{{ l|last }}", "2"},
      {"{{ e|last }}", ""},
      {"{{ d|last }}", "items"},
      {"{{ range(5)|last }}", "4"},
  });
}

TEST(FiltersSequence, Reverse) {
  expect_texts({
      {"{{ s|reverse }}", "dlroW olleH"},
      {"{{ l|reverse|list }}", "[2, 1, 3]"},
      {"{{ 'abc'|reverse }}", "cba"},
      {"{{ d|reverse|list }}", "['items', 'b', 'a']"},
  });
}

TEST(FiltersSequence, List) {
  expect_texts({
      {"{{ s|list }}", "['H', 'e', 'l', 'l', 'o', ' ', 'W', 'o', 'r', 'l', 'd']"},
      {"{{ 'abc'|list }}", "['a', 'b', 'c']"},
      {"{{ d|list }}", "['a', 'b', 'items']"},
      {"{{ (1,2)|list }}", "[1, 2]"},
      {"{{ range(2)|list }}", "[0, 1]"},
  });
}

TEST(FiltersSequence, Join) {
  expect_texts({
      {"{{ l|join }}", "312"},
      {"{{ l|join(', ') }}", "3, 1, 2"},
      {"{{ msgs|join('|', attribute='role') }}", "user|assistant|user"},
      {"{{ msgs|join(attribute='n', d='-') }}", "1-2-"},
      {"{{ 'abc'|join('.') }}", "a.b.c"},
      {"{{ [1,none,true,'x']|join(' ') }}", "1 None True x"},
  });
}

TEST(FiltersSequence, Batch) {
  expect_texts({
      {"{{ l|batch(2)|list }}", "[[3, 1], [2]]"},
      {"{{ l|batch(2, 0)|list }}", "[[3, 1], [2, 0]]"},
      {"{{ []|batch(2)|list }}", "[]"},
  });
}

TEST(FiltersSequence, Slice) {
  expect_texts({
      {"{{ [1,2,3,4,5]|slice(2)|list }}", "[[1, 2, 3], [4, 5]]"},
      {"{{ [1,2,3,4,5]|slice(3, 'x')|list }}", "[[1, 2], [3, 4], [5, 'x']]"},
      {"{{ [1]|slice(3)|list }}", "[[1], [], []]"},
  });
}

TEST(FiltersSequence, Items) {
  expect_texts({
      {"{{ d|items|list }}", "[('a', 1), ('b', {'c': [10, 20]}), ('items', 'x')]"},
      {"{{ {}|items|list }}", "[]"},
      {"{% for k, v in d|items %}{{ k }}={{ v }};{% endfor %}", "a=1;b={'c': [10, 20]};items=x;"},
  });
}

TEST(FiltersSequence, Attr) {
  expect_texts({
      {"{{ d|attr('get') is callable }}", "True"},
      {"{{ d|attr('a') is defined }}", "False"},
      {"{{ namespace(a=1)|attr('a') }}", "1"},
      {"{{ s|attr('upper')() }}", "HELLO WORLD"},
  });
}

TEST(FiltersSequence, D) {
  expect_texts({
      {"{{ 'a'|d('b') }}", "a"},
      {"{{ zz|d }}", ""},
      {"{{ zz|d(5) + 1 }}", "6"},
  });
}

TEST(FiltersSequence, RefusesBadInput) {
  expect_messages({
      {"{{ 5|list }}", "t:1: 'int' object is not iterable"},
      {"{{ 5|length }}", "t:1: object of type 'int' has no len()"},
      {"{{ 5|join }}", "t:1: 'int' object is not iterable"},
      {"{{ 5|first }}", "t:1: 'int' object is not iterable"},
      {"{{ (l|items)|list }}", "t:1: Can only get item pairs from a mapping, not from list"},
      {"{{ l|batch|list }}", "t:1: batch() misses its argument 'linecount'"},
      {"{{ l|slice|list }}", "t:1: slice() misses its argument 'slices'"},
      {"{{ x.a|attr('b') }}", "t:1: 'x' is undefined"},
  });
}

}  // namespace
}  // namespace invar::jinja

// Sorting, grouping and the like.
#include "text/jinja/filters.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(FiltersOrder, Sort) {
  expect_texts({
      {"{{ l|sort }}", "[1, 2, 3]"},
      {"{{ l|sort(reverse=true) }}", "[3, 2, 1]"},
      {"{{ w|sort }}", "['A', 'b', 'c']"},
      {"{{ w|sort(case_sensitive=true) }}", "['A', 'b', 'c']"},
      {"{{ [[2,1],[1,2]]|sort(attribute=1) }}", "[[2, 1], [1, 2]]"},
      {"{{ [{'a':1,'b':2},{'a':1,'b':1}]|sort(attribute='a,b') }}",
       "[{'a': 1, 'b': 1}, {'a': 1, 'b': 2}]"},
      {"{{ l|select|sort }}", "[1, 2, 3]"},
      {"{{ [3,1]|sort|first }}", "1"},
      {"{{ {'b':1,'a':2}|sort }}", "['a', 'b']"},
      {"{{ ['b','a']|sort|join }}{{ ['é','e','z']|sort }}", "ab['e', 'z', 'é']"},
  });
}

TEST(FiltersOrder, Min) {
  expect_texts({
      {"{{ l|min }}", "1"},
      {"{{ w|min }}", "A"},
      {"{{ []|min }}", ""},
  });
}

TEST(FiltersOrder, Max) {
  expect_texts({
      {"{{ l|max }}", "3"},
      {"{{ w|max }}", "c"},
      {"{{ w|max(case_sensitive=true) }}", "c"},
      {"{{ msgs[:2]|max(attribute='n') }}", "{'role': 'assistant', 'content': 'yo', 'n': 2}"},
  });
}

TEST(FiltersOrder, Unique) {
  expect_texts({
      {"{{ [1,1,2]|unique|list }}", "[1, 2]"},
      {"{{ ['a','A','b']|unique|list }}", "['a', 'b']"},
      {"{{ ['a','A']|unique(case_sensitive=true)|list }}", "['a', 'A']"},
      {"{{ [1, 1.0, true, (1,2), (1,2)]|unique|list }}", "[1, (1, 2)]"},
  });
}

TEST(FiltersOrder, Dictsort) {
  expect_texts({
      {"{{ d|dictsort }}", "[('a', 1), ('b', {'c': [10, 20]}), ('items', 'x')]"},
      {"{{ {'b':1,'A':2}|dictsort }}", "[('A', 2), ('b', 1)]"},
      {"{{ {'b':1,'A':2}|dictsort(true) }}", "[('A', 2), ('b', 1)]"},
      {"{{ {'b':1,'a':2}|dictsort(by='value') }}", "[('b', 1), ('a', 2)]"},
      {"{{ {'b':1,'a':2}|dictsort(reverse=true) }}", "[('b', 1), ('a', 2)]"},
      {"{{ {'b':1,'a':2}|dictsort(false, 'value', true) }}", "[('a', 2), ('b', 1)]"},
  });
}

TEST(FiltersOrder, Groupby) {
  expect_texts({
      {"{{ msgs|groupby('role') }}",
       "[('assistant', [{'role': 'assistant', 'content': 'yo', 'n': 2}]), ('user', "
       "[{'role': 'user', 'content': 'hi', 'n': 1}, {'role': 'user', 'content': 'bye'}])]"},
      {"{% for r, m in msgs|groupby('role') %}{{ r }}:{{ m|length }} {% endfor %}{% "
       "for g in msgs|groupby('role') %}{{ g.grouper }}{{ g.list|length }}{% endfor "
       "%}",
       "assistant:1 user:2 assistant1user2"},
      {"{{ msgs|groupby('n', default=0)|map('first')|list }}", "[0, 1, 2]"},
  });
}

TEST(FiltersOrder, RefusesBadInput) {
  expect_messages({
      {"{{ [1,'a']|sort }}", "t:1: '<' not supported between instances of 'str' and 'int'"},
      {"{{ [none,1]|sort }}", "t:1: '<' not supported between instances of 'int' and 'NoneType'"},
      {"{{ l|dictsort }}", "t:1: 'list' object has no attribute 'items'"},
      {"{{ d|dictsort(by='x') }}", "t:1: dictsort sorts by 'key' or 'value', not by 'x'"},
      {"{{ [[]]|unique|list }}", "t:1: unhashable type: 'list'"},
      {"{{ [1,'a']|max }}", "t:1: '>' not supported between instances of 'int' and 'str'"},
  });
}

}  // namespace
}  // namespace invar::jinja

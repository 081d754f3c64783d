// map, select and reject.
#include "text/jinja/filters.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(FiltersSelection, Map) {
  expect_texts({
      {"{{ w|map('upper')|join }}", "BAC"},
      {"{{ l|map('string')|list }}", "['3', '1', '2']"},
      {"{{ [[1,2],[3]]|map('length')|list }}", "[2, 1]"},
      {"{{ [[1,2],[3]]|map('join', '-')|list }}", "['1-2', '3']"},
      {"{{ l|map('string') is string }}", "False"},
      {"{{ (l|map('string')) is iterable }}", "True"},
      {"{% set g = l|map('string') %}{{ g|list }}{{ g|list }}", "['3', '1', '2'][]"},
      {"{% set g = l|map('string') %}{{ g|first }}{{ g|list }}", "3['1', '2']"},
      {"{{ l|map('string')|join(',') }}", "3,1,2"},
      {"{{ [none, 1]|map('default', 5, true)|list }}", "[5, 1]"},
  });
}

TEST(FiltersSelection, Select) {
  expect_texts({
      {"{{ l|select('odd')|list }}", "[3, 1]"},
      {"{{ [0,1,'']|select|list }}", "[1]"},
      {"{{ l|select('gt', 1)|list }}", "[3, 2]"},
      {"{{ l|select('in', [1,2])|list }}", "[1, 2]"},
      {"{{ ['a',1]|select('string')|list }}", "['a']"},
      {"{{ (l|select)|first }}", "3"},
      {"{{ (l|select)|list|last }}", "2"},
      {"{% if l|select('gt', 99) %}yes{% endif %}", "yes"},
      {"{{ 2 in l|select }}", "True"},
      {"{{ l|select|sum }}", "6"},
  });
}

TEST(FiltersSelection, Reject) {
  expect_texts({
      {"{{ l|reject('odd')|list }}", "[2]"},
      {"{{ [0,1]|reject|list }}", "[0]"},
  });
}

TEST(FiltersSelection, Selectattr) {
  expect_texts({
      {"{{ msgs|selectattr('n')|list|length }}", "2"},
      {"{{ msgs|selectattr('n','defined')|list|length }}", "2"},
      {"{{ msgs|selectattr('role','in',['user'])|list|length }}", "2"},
  });
}

TEST(FiltersSelection, Rejectattr) {
  expect_texts({
      {"{{ msgs|rejectattr('n')|list|length }}", "1"},
      {"{{ msgs|rejectattr('role','eq','user')|list }}",
       "[{'role': 'assistant', 'content': 'yo', 'n': 2}]"},
  });
}

TEST(FiltersSelection, RefusesBadInput) {
  expect_messages({
      {"{{ (l|map('int'))|length }}", "t:1: object of type 'generator' has no len()"},
      {"{{ (l|map('int'))|last }}", "t:1: 'generator' object is not reversible"},
      {"{{ l|map|list }}", "t:1: map requires a filter argument"},
      {"{{ l|map(foo='x')|list }}", "t:1: map() got an unexpected keyword argument 'foo'"},
      {"{{ l|selectattr|list }}", "t:1: selectattr misses the name of an attribute"},
      {"{{ l|map('upper', 1)|list }}", "t:1: upper() takes at most 0 arguments (1 given)"},
      {"{{ (l|map('int'))|tojson }}", "t:1: Object of type generator is not JSON serializable"},
      {"{{ [1]|select('divisibleby')|list }}", "t:1: divisibleby() misses its argument 'num'"},
  });
}

}  // namespace
}  // namespace invar::jinja

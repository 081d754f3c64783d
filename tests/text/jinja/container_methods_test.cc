// Methods of lists, tuples and dicts.
#include "text/jinja/methods.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(ContainerMethods, ReadsContainers) {
  expect_texts({
      {"{{ d.get('a') }}", "1"},
      {"{{ d.get('z') }}", "None"},
      {"{{ d.get('z', 5) }}", "5"},
      {"{{ d.items()|list }}", "[('a', 1), ('b', {'c': [10, 20]}), ('items', 'x')]"},
      {"{{ d.keys()|list }}", "['a', 'b', 'items']"},
      {"{{ d.values()|list }}", "[1, {'c': [10, 20]}, 'x']"},
      {"{{ d.keys() }}", "dict_keys(['a', 'b', 'items'])"},
      {"{{ {'a':1}.values() }}", "dict_values([1])"},
      {"{{ {'a':1}.items() }}", "dict_items([('a', 1)])"},
      {"{{ l.count(1) }}", "1"},
      {"{{ l.index(2) }}", "2"},
      {"{{ (1,1).count(1) }}", "2"},
      {"{{ 'a' in d.keys() }}", "True"},
      {"{{ 1 in d.values() }}", "True"},
      {"{{ (d.items()|list)[0][1] }}", "1"},
      {"{{ d.keys()[0] }}|", "|"},
      {"{{ d.copy() == d }}", "True"},
      {"{{ l.copy() }}", "[3, 1, 2]"},
  });
}

TEST(ContainerMethods, RefusesBadArguments) {
  expect_messages({
      {"{{ d.get([]) }}", "t:1: unhashable type: 'list'"},
      {"{{ l.index(99) }}", "t:1: the value is not in the list"},
      {"{{ d.get() }}", "t:1: get() misses its argument 'key'"},
      {"{{ d.get('a','b','c') }}", "t:1: get() takes at most 2 arguments (3 given)"},
  });
}

}  // namespace
}  // namespace invar::jinja

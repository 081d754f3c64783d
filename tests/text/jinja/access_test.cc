// Attributes and items.
#include "text/jinja/access.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Access, FindsItemsAndAttributes) {
  expect_texts({
      {"{{ d.a }}", "1"},
      {"{{ d['a'] }}", "1"},
      {"{{ d.b.c }}", "[10, 20]"},
      {"{{ d['b'].c[0] }}", "10"},
      {"{{ d.b['c'][1] }}", "20"},
      {"{{ d['items'] }}", "x"},
      {"{{ l[0] }}", "3"},
      {"{{ l[-1] }}", "2"},
      {"{{ s[0] }}", "H"},
      {"{{ s[-1] }}", "d"},
      {"{{ u[0] }}{{ u[1] }}", "Zü"},
      {"{{ u[-1] }}", "😀"},
      {"{{ (1,2,3)[1] }}", "2"},
      {"{{ 'a' in d }}", "True"},
      {"{{ 'zz' in d }}", "False"},
      {"{{ 1 in l }}", "True"},
      {"{{ 'W' in s }}", "True"},
      {"{{ '' in s }}", "True"},
      {"{{ 3 in (1,2) }}", "False"},
      {"{{ none in [none] }}", "True"},
      {"{{ msgs[0].role }}", "user"},
      {"{{ msgs[-1]['content'] }}", "bye"},
      {"{{ msgs[0].n + 1 }}", "2"},
      {"{{ {1: 'a', 2.5: 'b', none: 'c', true: 'd'} }}", "{1: 'd', 2.5: 'b', None: 'c'}"},
      {"{{ {1: 'a'}[1] }}", "a"},
      {"{{ {1: 'a'}[1.0] }}", "a"},
      {"{{ {(1,2): 'x'}[(1,2)] }}", "x"},
      {"{{ {'a': 1, 'a': 2} }}", "{'a': 2}"},
      {"{{ 'abc'['upper']() }}", "ABC"},
      {"{{ d['get']('a') }}", "1"},
      {"{{ l['count'](3) }}", "1"},
      {"{{ d['b']['c']|last }}", "20"},
      {"{{ l[true] }}", "1"},
      {"{{ s['x'] }}|", "|"},
      {"{{ d.a.b }}|", "|"},
      {"{{ l.zz }}|{{ l['zz'] }}|", "||"},
      {"{{ d[none] }}|{{ d[1.5] }}|{{ l['0'] }}|", "|||"},
      {"{{ 'a-b-c'.split('-')[1] }}", "b"},
  });
}

}  // namespace
}  // namespace invar::jinja

// Methods that take texts apart and join them.
#include "text/jinja/methods.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(TextSplitMethods, SplitsAndJoins) {
  expect_texts({
      {"{{ 'a,b,c'.split(',') }}", "['a', 'b', 'c']"},
      {"{{ 'a,b,c'.split(',', 1) }}", "['a', 'b,c']"},
      {"{{ ' a  b '.split() }}", "['a', 'b']"},
      {"{{ 'a b c'.split(none, 1) }}", "['a', 'b c']"},
      {"{{ 'a--b'.split('--') }}", "['a', 'b']"},
      {"{{ ''.split() }}", "[]"},
      {"{{ ''.split(',') }}", "['']"},
      {"{{ ',a,'.split(',') }}", "['', 'a', '']"},
      {"{{ 'a,b'.split(sep=',') }}", "['a', 'b']"},
      {"{{ 'a,b,c'.split(',', maxsplit=1) }}", "['a', 'b,c']"},
      {"{{ ' a b  c '.split(none, 1) }}", "['a', 'b  c ']"},
      {"{{ 'a b'.split(none, 0) }}", "['a b']"},
      {"{{ 'aXXb'.split('X') }}", "['a', '', 'b']"},
      {"{{ 'a,b,c'.rsplit(',', 1) }}", "['a,b', 'c']"},
      {"{{ 'a b c '.rsplit(none, 1) }}", "['a b', 'c']"},
      {"{{ 'a,b'.rsplit(',') }}", "['a', 'b']"},
      {"{{ 'aaa'.rsplit('aa') }}", "['a', '']"},
      {"{{ 'aaa'.split('aa') }}", "['', 'a']"},
      {"{{ ' a b '.rsplit() }}", "['a', 'b']"},
      {"{{ '  a b'.rsplit(none,1) }}", "['  a', 'b']"},
      {"{{ 'é,ü,ö'.rsplit(',', 1) }}", "['é,ü', 'ö']"},
      {"{{ 'a\nb\r\nc\\x0bd\n'.splitlines() }}", "['a', 'b', 'c', 'd']"},
      {"{{ 'a\nb'.splitlines(true) }}", "['a\\n', 'b']"},
      {"{{ ''.splitlines() }}", "[]"},
      {"{{ 'a\342\200\250b\302\205c'.splitlines() }}", "['a', 'b', 'c']"},
      {"{{ 'a-b-c'.partition('-') }}", "('a', '-', 'b-c')"},
      {"{{ 'a-b-c'.rpartition('-') }}", "('a-b', '-', 'c')"},
      {"{{ 'abc'.partition('-') }}", "('abc', '', '')"},
      {"{{ 'abc'.rpartition('-') }}", "('', '', 'abc')"},
      {"{{ '-'.join(['a','b']) }}", "a-b"},
      {"{{ ''.join(w) }}", "bAc"},
      {"{{ ','.join('abc') }}", "a,b,c"},
      {"{{ ','.join({'x':1,'y':2}) }}", "x,y"},
      {"{{ ','.join(l|map('string')) }}", "3,1,2"},
      {"{{ ' a b '.split(none, 0) }}{{ ' a b '.rsplit(none, 0) }}{{ '  '.split(none, 0) }}",
       "['a b '][' a b'][]"},
  });
}

TEST(TextSplitMethods, RefusesBadArguments) {
  expect_messages({
      {"{{ s.split('') }}", "t:1: empty separator"},
      {"{{ ','.join([1]) }}", "t:1: sequence item 0: expected str instance, int found"},
      {"{{ ','.join(5) }}", "t:1: 'int' object is not iterable"},
      {"{{ s.partition('') }}", "t:1: empty separator"},
      {"{{ s.split(5) }}", "t:1: split(): argument 'sep' must be a string, not int"},
  });
}

}  // namespace
}  // namespace invar::jinja

// The functions templates can call.
#include "text/jinja/functions.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Functions, RefusesBadArguments) {
  expect_messages({
      {"{{ range(100001) }}", "t:1: a range is longer than 100000"},
      {"{{ range(1,2,0) }}", "t:1: range() arg 3 must not be zero"},
      {"{{ range() }}", "t:1: range() misses its argument 'stop'"},
      {"{{ range('a') }}", "t:1: range(): argument 'start' must be an integer, not str"},
      {"{{ raise_exception('boom: ' ~ i) }}", "t:1: boom: 7"},
      {"{{ raise_exception() }}", "t:1: raise_exception() misses its argument 'message'"},
      {"{{ strftime_now() }}", "t:1: strftime_now() misses its argument 'format'"},
      {"{{ strftime_now(5) }}", "t:1: strftime_now(): argument 'format' must be a string, not int"},
      {"{{ namespace(1) }}", "t:1: 'int' object is not iterable"},
      {"{{ dict(1) }}", "t:1: 'int' object is not iterable"},
      {"{{ dict([1]) }}", "t:1: 'int' object is not iterable"},
      {"{{ dict(1, 2) }}", "t:1: dict expected at most 1 argument, got 2"},
      {"{{ joiner(1,2) }}", "t:1: joiner() takes at most 1 arguments (2 given)"},
  });
}

TEST(Functions, MakesValues) {
  expect_texts({
      {"{% set ns = namespace(d, z=1) %}{{ ns.a }}{{ ns.z }}", "11"},
      {"{% set ns = namespace({'a': 1}) %}{{ ns.a }}", "1"},
      {"{{ dict(a=1, b=2) }}", "{'a': 1, 'b': 2}"},
      {"{{ dict([('x', 1)], y=2) }}", "{'x': 1, 'y': 2}"},
      {"{{ dict() }}", "{}"},
      {"{{ dict({'a': 1}) }}", "{'a': 1}"},
      {"{% set j = joiner(', ') %}{{ j() }}a{{ j() }}b{{ j() }}c", "a, b, c"},
      {"{% set j = joiner() %}{{ j() }}a{{ j() }}b", "a, b"},
  });
}

TEST(Functions, TellsTheTime) {
  expect_texts({
      {"{{ strftime_now('%Y-%m-%d %d %b %B %H:%M:%S %A %a %j %I %p %y %U %w %%') }}",
       "2026-03-04 04 Mar March 05:06:07 Wednesday Wed 063 05 AM 26 09 3 %"},
      {"{{ strftime_now('%e %-d %-m %F %T %D %R %c %x %X %G-%V %u %W %C %h') }}",
       " 4 4 3 2026-03-04 05:06:07 03/04/26 05:06 Wed Mar  4 05:06:07 2026 03/04/26 "
       "05:06:07 2026-10 3 09 20 Mar"},
      {"{{ strftime_now('') }}|{{ strftime_now('%d %B %Y') }}", "|04 March 2026"},
  });
}

}  // namespace
}  // namespace invar::jinja

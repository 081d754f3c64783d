// What `loop` knows.
#include "text/jinja/loop_variable.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(LoopVariable, KnowsItsPlace) {
  expect_texts({
      {"{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revin"
       "dex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}",
       "1032TrueFalse3 2121FalseFalse3 3210FalseTrue3 "},
      {"{% for x in l %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {% endfor %}",
       "<3>1 3<1>2 1<2> "},
      {"{% for x in l if x > 1 %}{{ x }}{{ loop.length }}{{ loop.index }} {% endfor %}",
       "321 222 "},
      {"{% for x in l %}{% for y in w %}{{ loop.index }}{% endfor %}{{ loop.index "
       "}}{% endfor %}",
       "123112321233"},
      {"{% for x in [1,2] %}{{ loop.cycle('odd', 'even') }}{% endfor %}", "oddeven"},
      {"{% for x in [1,1,2,2,1] %}{{ loop.changed(x) }} {% endfor %}",
       "True False True False True "},
      {"{% for x in [1] %}{{ loop.depth }}{{ loop.depth0 }}{{ loop.foo is defined "
       "}}{% endfor %}",
       "10False"},
      {"{% for x in [1,2] %}{% if loop.first %}{% set f = 1 %}{% endif %}{{ f is defined "
       "}}{% endfor %}",
       "TrueTrue"},
      {"{% for m in msgs %}{% if loop.index0 == 0 %}A{% elif loop.last %}Z{% endif "
       "%}{% endfor %}",
       "AZ"},
      {"{% for x in l|sort %}{{ x }}{{ ', ' if not loop.last }}{% endfor %}", "1, 2, 3"},
      {"{% for x in [1] %}{% set loop_i = loop.index %}{{ loop_i }}{% endfor %}", "1"},
  });
}

TEST(LoopVariable, RefusesBadArguments) {
  expect_messages({
      {"{{ loop.cycle() }}", "t:1: 'loop' is undefined"},
      {"{% for x in l %}{{ loop.cycle() }}{% endfor %}",
       "t:1: loop.cycle() takes the items to cycle through"},
  });
}

}  // namespace
}  // namespace invar::jinja

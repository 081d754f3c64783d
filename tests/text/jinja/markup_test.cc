// Texts marked as safe.
#include "text/jinja/markup.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Markup, EscapesWhatJoinsMarkup) {
  expect_texts({
      {"{{ 'a<b>&\"\\''|escape }}", "a&lt;b&gt;&amp;&#34;&#39;"},
      {"{{ 'a<b'|e }}", "a&lt;b"},
      {"{{ 'a<b'|safe|e }}", "a<b"},
      {"{{ 'a<b'|safe|forceescape }}", "a&lt;b"},
      {"{{ 'a'|safe + '<b>' }}", "a&lt;b&gt;"},
      {"{{ '<b>' + 'a'|safe }}", "&lt;b&gt;a"},
      {"{{ ('<'|safe) ~ '<' }}", "<<"},
      {"{{ 'x<y'|safe|upper + '<' }}", "X<Y&lt;"},
      {"{{ ('<'|safe) * 2 + '<' }}", "<<&lt;"},
      {"{{ ['<'|safe] }}", "[Markup('<')]"},
      {"{{ ('<%s>'|safe) % '<' }}", "<&lt;>"},
      {"{{ '<{}>'|safe.format('<') if false }}", ""},
      {"{{ ('a,b'|safe).split(',')[0] + '<' }}", "a&lt;"},
      {"{{ ('<a'|safe)[0] + '<' }}", "<&lt;"},
      {"{{ (','|safe).join(['<', '>'|safe]) }}", "&lt;,>"},
      {"{{ ('a'|safe).replace('a', '<') }}", "&lt;"},
      {"{{ ('<{}{}>'|safe).format('<', '>'|safe) }}", "<&lt;>>"},
      {"{{ ('%(a)s'|safe) % {'a': '<'} }}", "&lt;"},
      {"{{ ('a'|safe|trim) + '<' }}", "a&lt;"},
      {"{{ ('a'|safe|replace('a','b')) + '<' }}", "b<"},
      {"{{ ('a'|safe|indent) + '<' }}", "a&lt;"},
      {"{{ ('a'|safe|string) + '<' }}", "a&lt;"},
      {"{{ ('a'|safe|title) + '<' }}", "A<"},
      {"{{ ('a'|safe|center(3)) + '<' }}", " a &lt;"},
      {"{{ 'a'|safe|tojson }}", "\"a\""},
      {"{{ 'a'|safe == 'a' }}", "True"},
      {"{{ {'a': 1}['a'|safe] }}", "1"},
  });
}

}  // namespace
}  // namespace invar::jinja

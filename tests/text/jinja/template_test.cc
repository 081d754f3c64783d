// Whole templates: what hostile ones end with. Each must end in a clear error, quickly, and without
// running out of stack or memory.
#include "text/jinja/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::string repeated(std::string_view piece, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    result += piece;
  }
  return result;
}

// Far more than any bound, and more than a stack could hold.
constexpr int kMany = 20'000;

TEST(HostileTemplate, NestsTooDeeplyInItsSource) {
  const std::pair<std::string_view, std::string_view> brackets[] = {
      {"(", ")"},    {"[", "]"},    {"{1:", "}"},     {"x[", "]"},
      {"x(", ")"},   {"x|f(", ")"}, {"x is t(", ")"}, {"x is t [", "]"},
      {"x[1:", "]"}, {"f(a=", ")"}, {"f(*", ")"},     {"f(**", ")"}};
  for (const auto& [opener, closer] : brackets) {
    EXPECT_THAT(render_error("{{ " + repeated(opener, kMany) + repeated(closer, kMany) + " }}"),
                HasSubstr("nested too deeply"))
        << opener;
  }
  for (const std::string_view prefix : {"not ", "-", "+", "1 if x else "}) {
    EXPECT_THAT(render_error("{{ " + repeated(prefix, kMany / 2) + "1 }}"),
                HasSubstr("nested too deeply"))
        << prefix;
  }
  for (const std::string_view tag :
       {"{% if x %}", "{% for x in y %}", "{% set x %}", "{% macro m() %}", "{% call m() %}",
        "{% filter upper %}", "{% with %}", "{% generation %}", "{% if x %}{% else %}"}) {
    EXPECT_THAT(render_error(repeated(tag, kMany)), HasSubstr("nested too deeply")) << tag;
  }
  EXPECT_THAT(render_error("{% set " + repeated("(", kMany) + "a" + repeated(")", kMany) + " %}"),
              HasSubstr("nested too deeply"));
}

TEST(HostileTemplate, ChainsTooManyOperands) {
  for (const std::string_view link : {" + x", " * x", " ** x", " and x", " or x", "|upper", ".x",
                                      "[x]", "()", " is x", " if x", "|f(1)", "[1:]"}) {
    EXPECT_THAT(render_error("{{ x" + repeated(link, kMany) + " }}"),
                AnyOf(HasSubstr("nested too deeply"), HasSubstr("cannot be chained")))
        << link;
  }
  // These chains are flat.
  EXPECT_EQ(render("{{ x" + repeated(" ~ x", 10'000) + " }}"), "");
  EXPECT_EQ(render("{{ 1" + repeated(" == 1", 10'000) + " }}"), "True");
  EXPECT_EQ(render("{% if x %}" + repeated("{% elif x %}", 10'000) + "{% endif %}"), "");
}

TEST(HostileTemplate, IsTooLong) {
  EXPECT_EQ(error_of([] { Template::parse(std::string(kMaxSourceBytes + 1, 'x'), "t"); }),
            "t: the template is longer than 1048576 bytes");
  EXPECT_EQ(error_of([] { Template::parse("\xff", "t"); }), "t: the template is not UTF-8");
}

TEST(HostileTemplate, RecursesWithoutEnd) {
  EXPECT_EQ(render_error("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
            "t:1: the template nests more than 1200 evaluations");
  // The deepest levels that are possible: each a macro in an expression as high as allowed.
  const std::string deep = repeated("(1 + ", kMaxNestingDepth / 2 - 10) + "m()" +
                           repeated(")", kMaxNestingDepth / 2 - 10);
  EXPECT_THAT(render_error("{% macro m() %}{{ " + deep + " }}{% endmacro %}{{ m() }}"),
              HasSubstr("nests more than 1200 evaluations"));
  EXPECT_THAT(render_error("{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}"
                           "{{ m() }}"),
              AnyOf(HasSubstr("nests more than"), HasSubstr("takes no keyword argument")));
  EXPECT_THAT(render_error("{{ 'a'|map(*(['map'] * 5000))|list }}"),
              HasSubstr("nests more than 1200 evaluations"));
  EXPECT_THAT(render_error("{{ 'a'|map(*(['map'] * 90000))|list }}"), HasSubstr("steps"));
  EXPECT_EQ(render_error("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                         Limits{.evaluation_depth = 10}),
            "t:1: the template nests more than 10 evaluations");
}

TEST(HostileTemplate, RunsInASmallStack) {
  // A thread of the server has at least this much.
  std::string error;
  std::thread thread([&] {
    error = render_error(
        "{% macro m(x) %}{% for y in [x] %}{% if y %}{% set z %}{{ (m(y)|upper) ~ "
        "'a' }}{% endset %}{{ z }}{% endif %}{% endfor %}{% endmacro %}{{ m(1) }}");
  });
  thread.join();
  EXPECT_EQ(error, "t:1: the template nests more than 1200 evaluations");
}

TEST(HostileTemplate, LoopsForEver) {
  EXPECT_EQ(render_error("{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}"
                         "{% endfor %}"),
            "t:1: the template takes more than 10000000 steps");
  EXPECT_EQ(render_error("{{ range(100001) }}"), "t:1: a range is longer than 100000");
  EXPECT_EQ(render_error("{% for a in range(9) %}{% endfor %}", Limits{.steps = 5}),
            "t:1: the template takes more than 5 steps");
  EXPECT_EQ(render_error("{{ range(3) }}", Limits{.range_length = 2}),
            "t:1: a range is longer than 2");
}

// Whatever visits, copies, reads or makes much counts as many steps: on 10,000 items or 100 kB, a
// thousand of each of these must meet the bound on steps. `uses`: expressions with "; " or a line's
// end between them.
void expect_too_many_steps(std::string_view uses) {
  const std::string values =
      "{% set r = range(10000) %}{% set l = r|list %}{% set t = 'ab ' * 35000 %}"
      "{% set d = dict(range(10000)|batch(2)) %}{% set space = ' ' * 100000 %}"
      "{% macro all() %}{{ varargs|length }}{% endmacro %}";
  while (!uses.empty()) {
    const size_t end = std::min(uses.find(';'), uses.size());
    const std::string use(uses.substr(0, end));
    uses.remove_prefix(std::min(end + 2, uses.size()));
    EXPECT_EQ(
        render_error(values + "{% for i in range(1000) %}{% set x = " + use + " %}{% endfor %}",
                     Limits{.steps = 100'000}),
        "t:1: the template takes more than 100000 steps")
        << use;
  }
}

TEST(HostileTemplate, WorksOnManyItemsInOneStep) {
  expect_too_many_steps(
      R"(l|list; l|reverse|first; l|batch(1000)|first; l|batch(1)|first; l|slice(3)|first;
l|map('string')|first; l|map(attribute='x', default=1)|first; l|select('odd')|first;
l|reject('odd')|first; l|selectattr('x')|first; l|rejectattr('x')|first; l|sort|first;
l|unique|first; l|min; l|max; l|sum; l|join|length; l|tojson|length; l|string|length;
l|batch(2)|groupby(0)|length; l + l; l[1:]; l[::2]; l == r|list; l < r|list; -1 in l;
l.count(3); l.index(9999); all(*l); 'x'.join(l|map('string')); '{0}'.format(*l); l * 2; r|list;
r|first; r|last; r|reverse|first; r|sum; -1 in r; r|batch(1000)|first; d|list; d|first;
d.items()|first; d|items|first; d.values()|list; d|dictsort|first; d|tojson|length;
d|string|length; d == dict(d); dict(d)|length; d[l])");
}

TEST(HostileTemplate, WorksOnLongTextsInOneStep) {
  expect_too_many_steps(
      R"(t|length; t|first; t|last; t[1:]; t[::2]; t|upper|length;
t|lower|length; t|capitalize|length; t|title|length; t|trim|length; space|trim|length;
t|wordcount; t|truncate(5)|length;
t|replace('c', 'd')|length; t|indent|length; t|center(9)|length; t|escape|length;
t|forceescape|length; t|urlencode|length; t|tojson|length; t|format|length; t|list|first;
t|int; t|float; t|reverse|length; t|string|length; t is lower; t is upper; t is eq(t ~ '');
t == t ~ ''; t < t ~ ''; 'c' in t; (t % ())|length; d[t]; d.get(t); t in d; d[(t, 1)];
{t: 1}|length; [t]|unique|first; l[t]; d[t|list]; t|attr(t); t ~ 1; t + 'a'; t * 2; {}[t];
[t]|sort|first; [t]|groupby(0)|length; t|safe|length; t|string|string|length)");
}

TEST(HostileTemplate, CallsMethodsOfLongTextsInOneStep) {
  expect_too_many_steps(
      R"(space.strip()|length; space.lstrip()|length; space.rstrip()|length; space.isspace();
t.find('c'); t.rfind('c'); t.count('c'); t.split('c')|length; t.split()|length;
t.rsplit('c')|length; t.splitlines()|length; t.partition('c')|length; t.startswith(t);
t.endswith(t); t.startswith((t, t)); t.removeprefix(t); t.removesuffix(t); t.islower();
t.isupper(); t.istitle(); t.isidentifier(); t.isalpha(); t.isascii(); t.isprintable();
t.expandtabs()|length; t.zfill(3); t.title()|length; t.swapcase()|length; t.format()|length;
t.ljust(3)|length)");
}

TEST(HostileTemplate, DoublesTexts) {
  const std::string doubling =
      "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ";
  for (const std::string_view step :
       {"ns.x ~ ns.x", "ns.x + ns.x", "ns.x * 2", "[ns.x, ns.x]|join", "ns.x.replace('a', ns.x)",
        "ns.x|replace('a', ns.x)", "'%s%s' % (ns.x, ns.x)", "'{0}{0}'.format(ns.x)",
        "ns.x.join([ns.x, ns.x])", "([ns.x, ns.x]|tojson)", "([ns.x, ns.x]|string)",
        "(ns.x ~ '\\n' ~ ns.x)|indent"}) {
    EXPECT_EQ(render_error(doubling + std::string(step) + " %}{% endfor %}",
                           Limits{.text_bytes = 1 << 20}),
              "t:1: a text is longer than 1048576 bytes")
        << step;
  }
  EXPECT_EQ(render_error(doubling + "ns.x ~ ns.x %}{% endfor %}"),
            "t:1: a text is longer than 67108864 bytes");
  EXPECT_EQ(render_error("{{ 'ab' * 3 }}", Limits{.text_bytes = 5}),
            "t:1: a text is longer than 5 bytes");
  EXPECT_EQ(render_error("abc{{ 'def' }}", Limits{.text_bytes = 5}),
            "t:1: a text is longer than 5 bytes");
}

TEST(HostileTemplate, AsksForHugeTexts) {
  for (const std::string_view expression :
       {"'a' * 999999999999", "999999999999 * 'a'", "'a' * 2**100", "'a'.center(2000000000)",
        "'a'.ljust(2000000000)", "'1'.zfill(2000000000)", "'a'|center(2000000000)",
        "'a'|indent(2000000000)", "'%2000000000d' % 1", "'%*d' % (2000000000, 1)",
        "'{:2000000000}'.format(1)", "'{:99999999999999999999}'.format(1)",
        "'%99999999999999999999d' % 1", "[1]|tojson(indent=2000000000)",
        "'a\tb'.expandtabs(2000000000)", "'%.2000000000d' % 1"}) {
    EXPECT_THAT(render_error("{{ " + std::string(expression) + " }}"),
                AnyOf(HasSubstr("a text is longer than 67108864 bytes"),
                      HasSubstr("a repetition is too long")))
        << expression;
  }
  EXPECT_THAT(render_error("{{ [1] * 999999999999 }}"), HasSubstr("values take more than"));
  EXPECT_THAT(render_error("{{ [1] * 2**100 }}"), HasSubstr("a repetition is too long"));
  EXPECT_THAT(render_error("{{ [1]|batch(2000000000, 0)|list }}"),
              HasSubstr("values take more than"));
  EXPECT_THAT(render_error("{{ [1]|slice(2000000000)|list }}"), HasSubstr("slice takes 1 to"));
  EXPECT_THAT(render_error("{{ '%.600f' % 1.0 }}"), HasSubstr("a precision is above 500"));
}

TEST(HostileTemplate, NestsAndSharesValues) {
  const std::string nesting = "{% set ns = namespace(x=[]) %}{% for i in range(";
  EXPECT_EQ(render_error(nesting + "200) %}{% set ns.x = [ns.x] %}{% endfor %}"),
            "t:1: values are nested more than 100 deep");
  EXPECT_EQ(render_error(nesting + "200) %}{% set ns.x = {'a': ns.x} %}{% endfor %}"),
            "t:1: values are nested more than 100 deep");
  EXPECT_EQ(render_error(nesting + "200) %}{% set ns.x = [ns.x.count] %}{% endfor %}"),
            "t:1: values are nested more than 100 deep");
  EXPECT_EQ(render_error(nesting + "200) %}{% set ns.x = joiner([ns.x]) %}{% endfor %}"),
            "t:1: values are nested more than 100 deep");
  // 2^60 items, of which only 60 exist: to write them all, or to compare them, takes for ever.
  const std::string sharing = nesting + "60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}";
  for (const std::string_view use :
       {"{{ ns.x }}", "{{ ns.x|tojson }}", "{{ ns.x|string }}", "{{ ns.x == (ns.x|list) }}",
        "{{ ns.x < (ns.x|list) }}", "{{ [ns.x, 1]|join }}", "{{ '%s' % [ns.x] }}"}) {
    EXPECT_THAT(
        render_error(sharing + std::string(use), Limits{.steps = 1'000'000, .text_bytes = 1 << 20}),
        AnyOf(HasSubstr("a text is longer than"), HasSubstr("steps")))
        << use;
  }
}

TEST(HostileTemplate, FillsTheMemory) {
  // What loops and calls hold while they run counts too.
  std::string nested;
  for (int i = 0; i < 50; ++i) {
    nested += "{% for a" + std::to_string(i) + " in range(10000) if true %}";
  }
  EXPECT_EQ(render_error(nested + repeated("{% endfor %}", 50), Limits{.live_bytes = 10 << 20}),
            "t:1: the template's values take more than 10485760 bytes");
  EXPECT_EQ(render_error("{% macro m() %}{{ m(*varargs) }}{% endmacro %}{{ m(*range(10000)) }}",
                         Limits{.live_bytes = 10 << 20}),
            "t:1: the template's values take more than 10485760 bytes");
  EXPECT_EQ(render_error("{% set t = 'a' * 1000000 %}{{ t|list|length }}",
                         Limits{.live_bytes = 10 << 20}),
            "t:1: the template's values take more than 10485760 bytes");
  EXPECT_EQ(
      render_error("{% for c in 'a' * 1000000 %}{% endfor %}", Limits{.live_bytes = 10 << 20}),
      "t:1: the template's values take more than 10485760 bytes");
  EXPECT_EQ(render_error("{% set ns = namespace(x=[]) %}{% set a = 'x' * 60000 %}"
                         "{% for i in range(1000) %}{% set ns.x = ns.x + [a ~ i] %}{% endfor %}",
                         Limits{.live_bytes = 10 << 20}),
            "t:1: the template's values take more than 10485760 bytes");
  EXPECT_EQ(render_error("{{ 'abc' * 1000 }}", Limits{.live_bytes = 2000}),
            "t:1: the template's values take more than 2000 bytes");
  EXPECT_THAT(render_error("{{ [0] * 10000000000 }}"), HasSubstr("values take more than"));
  EXPECT_THAT(render_error("{% for i in range(100000) %}{% set n = namespace() %}{% endfor %}"
                           "{% set n = namespace() %}"),
              HasSubstr("more than 100000 macros and namespaces"));
  EXPECT_THAT(render_error("{% for i in range(100000) %}{% macro m() %}{% endmacro %}{% endfor %}"
                           "{% macro m() %}{% endmacro %}"),
              HasSubstr("more than 100000 macros and namespaces"));
  EXPECT_EQ(render_error("{% macro m() %}{% endmacro %}", Limits{.retained_objects = 0}),
            "t:1: the template makes more than 0 macros and namespaces");
}

// Under AddressSanitizer these also prove that nothing leaks and no destructor recurses.
TEST(HostileTemplate, MakesCirclesAndChains) {
  EXPECT_EQ(render("{% set a = namespace() %}{% set a.self = a %}{% set a.list = [a] %}ok"), "ok");
  EXPECT_EQ(render("{% set a = namespace() %}{% macro m() %}{% endmacro %}{% set a.m = m %}ok"),
            "ok");
  EXPECT_EQ(render("{% macro f(p) %}{% macro g() %}{{ p is none }}{% endmacro %}{% set ns.g = g %}"
                   "{% endmacro %}{% set ns = namespace(g=none) %}{% for i in range(20000) %}"
                   "{{ f(ns.g) }}{% endfor %}{% set ns.g = 0 %}ok"),
            "ok");
  EXPECT_EQ(
      render("{% set ns = namespace(head=none) %}{% for i in range(50000) %}"
             "{% set ns.head = namespace(next=ns.head) %}{% endfor %}{% set ns.head = 0 %}ok"),
      "ok");
  EXPECT_EQ(render("{% for x in [1] %}{% set loop_again = [loop] %}{{ loop_again[0].index }}"
                   "{% endfor %}"),
            "1");
  EXPECT_THAT(render_error("{% for x in [1] %}{{ loop.changed(loop) }}{% endfor %}"),
              HasSubstr("loop.changed() takes plain values here"));
}

TEST(HostileTemplate, QuotesLongNames) {
  EXPECT_EQ(render_error("{{ {}['x' * 2000].y }}"),
            "t:1: 'dict object' has no attribute '" + repeated("x", 468) + "...");
  EXPECT_EQ(render_error("{{ {}['aé' * 2000].y }}"),
            "t:1: 'dict object' has no attribute '" + repeated("aé", 156) + "...");
  EXPECT_EQ(render_error("{{ strftime_now('a' * 4097) }}"),
            "t:1: strftime_now() takes a format of at most 4096 bytes, not 4097");
}

// Large integers whose nearest doubles are equal, and names in great number.
TEST(HostileTemplate, CollidesAndCrowds) {
  EXPECT_EQ(render("{{ range(2**99, 2**99 + 99999)|unique|list|length }}"), "99999");
  EXPECT_EQ(render("{{ [1, 1.0, true, 2**60, 2.0**60, 0.5, 0.5]|unique|list }}"),
            "[1, 1152921504606846976, 0.5]");
  std::string names;
  for (int i = 0; i < 5000; ++i) {
    names += "{% set n" + std::to_string(i) + "=1 %}";
  }
  EXPECT_EQ(render_error(names + "{% for i in range(100000) %}{{ x }}{% endfor %}"),
            "t:1: the template takes more than 10000000 steps");
}

TEST(HostileTemplate, SearchesLongTexts) {
  // Both would take hours with a quadratic search.
  EXPECT_EQ(
      render("{% set a = 'a' * 1000000 %}{{ (a ~ 'b') in a }} {{ a.find('a' * 500000 ~ 'b') }}"
             " {{ a.rfind('b' ~ 'a' * 500000) }} {{ a.count('b' * 99) }}"),
      "False -1 -1 0");
  EXPECT_EQ(render("{{ ('a,' * 100000).rsplit(',')|length }}"), "100001");
}

TEST(HostileTemplate, HasDeepInputs) {
  Json deep = 1;
  for (int i = 0; i < 150; ++i) {
    deep = Json::array({deep});
  }
  EXPECT_EQ(render_error("x", {{"a", deep}}), "t:1: the inputs are nested more than 100 deep");
}

TEST(Template, CanBeRenderedByManyThreads) {
  const Template shared = Template::parse("{% for x in l %}{{ x ~ 'é'|upper }}{% endfor %}", "t");
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (std::string& text : texts) {
    threads.emplace_back([&shared, &text] {
      for (int i = 0; i < 100; ++i) {
        text = shared.render({.variables = {{"l", {1, 2}}}, .now = {}, .parts_as_text = false});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(texts, testing::Each("1É2É"));
  EXPECT_EQ(shared.name(), "t");
}

TEST(Template, NamesTheLineOfAnError) {
  EXPECT_EQ(render_error("a\n\n{{ x.y }}"), "t:3: 'x' is undefined");
  EXPECT_EQ(render_error("{% if 1 %}\n{{ 'a' +\n 'b' + 1 }}\n{% endif %}"),
            "t:2: can only concatenate str (not \"int\") to str");
  EXPECT_EQ(render_error("{#\n\n#}{{ 'x\n' ~ raise_exception('no') }}"), "t:4: no");
  EXPECT_EQ(render_error("\r\n\r\n{% foo %}"), "t:3: unknown tag 'foo'");
  EXPECT_EQ(render_error("{% raw %}\n\n{% endraw %}\n{{ 1 }"), "t:4: unexpected '}'");
  EXPECT_EQ(render_error("{% macro m() %}\n\n{{ 1/0 }}{% endmacro %}\n{{ m() }}"),
            "t:3: division by zero");
  EXPECT_EQ(render_error("{% macro m() %}\n\n{% endmacro %}\n{{ m() + 1 }}"),
            "t:4: can only concatenate str (not \"int\") to str");
  EXPECT_EQ(render_error("{% for x in\n [1] %}\n{% set y.z = 1 %}{% endfor %}"),
            "t:3: cannot assign attribute on non-namespace object 'y'");
}

TEST(Template, RefusesWhatIsNotSupported) {
  for (const std::string_view name : {"extends 'a'", "block a", "include 'a'", "import 'a' as b",
                                      "from 'a' import b", "autoescape true"}) {
    EXPECT_THAT(render_error("{% " + std::string(name) + " %}"),
                HasSubstr("is not supported in chat templates"));
  }
  EXPECT_EQ(render_error("{% for x in y recursive %}{% endfor %}"),
            "t:1: recursive loops are not supported in chat templates");
  for (const std::string_view name :
       {"filesizeformat", "pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr"}) {
    EXPECT_EQ(render_error("{{ 1|" + std::string(name) + " }}"),
              "t:1: this filter is not supported in chat templates");
  }
}

}  // namespace
}  // namespace invar::jinja

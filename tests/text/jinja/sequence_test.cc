// Slices, lengths and ranges.
#include "text/jinja/sequence.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Sequence, SlicesAndCounts) {
  expect_texts({
      {"{{ l[1:] }}", "[1, 2]"},
      {"{{ l[:-1] }}", "[3, 1]"},
      {"{{ l[::-1] }}", "[2, 1, 3]"},
      {"{{ l[::2] }}", "[3, 2]"},
      {"{{ l[5:] }}", "[]"},
      {"{{ l[-2:] }}", "[1, 2]"},
      {"{{ l[1:2] }}", "[1]"},
      {"{{ l[10:0:-1] }}", "[2, 1]"},
      {"{{ s[1:4] }}", "ell"},
      {"{{ s[::-1] }}", "dlroW olleH"},
      {"{{ s[::3] }}", "HlWl"},
      {"{{ s[6:] }}", "World"},
      {"{{ s[-5:] }}", "World"},
      {"{{ u[9:11] }}", "漢字"},
      {"{{ u[::-1] }}", "😀 字漢 ß hcirüZ"},
      {"{{ u|length }}", "13"},
      {"{{ (1,2,3)[1:] }}", "(2, 3)"},
      {"{{ d|length }}", "3"},
      {"{{ l|length }}", "3"},
      {"{{ s|length }}", "11"},
      {"{{ {}|length }}", "0"},
      {"{{ range(3) }}", "range(0, 3)"},
      {"{{ range(3)[1] }}", "1"},
      {"{{ range(1,10,3)|list }}", "[1, 4, 7]"},
      {"{{ range(5,0,-2)|list }}", "[5, 3, 1]"},
      {"{{ range(0)|list }}", "[]"},
      {"{{ range(10)[2:5]|list }}", "[2, 3, 4]"},
      {"{{ range(3)|length }}", "3"},
      {"{{ 2 in range(3) }}", "True"},
      {"{{ range(2, 8, 3) }}", "range(2, 8, 3)"},
      {"{{ range(-1)|list }}", "[]"},
      {"{{ l[1:][0] }}", "1"},
      {"{{ [1,2,3][-10:2] }}", "[1, 2]"},
      {"{{ [1,2,3][0:100:50] }}", "[1]"},
      {"{{ 'abc'[10:] }}|{{ 'abc'[-100:2] }}", "|ab"},
      {"{{ [1,2,3][none:2] }}", "[1, 2]"},
      {"{{ 'abc'[2:none:-1] }}", "cba"},
      {"{{ ''[0] }}|{{ ''[1:] }}|", "||"},
  });
}

TEST(Sequence, RefusesBadSlices) {
  expect_messages({
      {"{{ l[1:2:0] }}", "t:1: slice step cannot be zero"},
      {"{{ l['a':] }}", "t:1: slice indices must be integers or None, not str"},
  });
}

TEST(Sequence, SlicesTextsListsTuplesAndRangesOnly) {
  for (const auto& [value, type] :
       std::vector<std::pair<std::string, std::string>>{{"n", "NoneType"},
                                                        {"b", "bool"},
                                                        {"i", "int"},
                                                        {"f", "float"},
                                                        {"d", "dict"},
                                                        {"d.keys()", "dict_keys"},
                                                        {"d.values()", "dict_values"},
                                                        {"d['b'].items()", "dict_items"},
                                                        {"(l|map('string'))", "generator"},
                                                        {"namespace(a=1)", "Namespace"},
                                                        {"s.upper", "function"}}) {
    const std::string source = "{{ " + value + "[:1] }}";
    const std::string message = "t:1: '" + type + "' object has no slices";
    expect_messages({{source, message}});
  }
}

}  // namespace
}  // namespace invar::jinja

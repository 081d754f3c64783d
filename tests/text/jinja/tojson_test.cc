// JSON as the reference writes it.
#include "text/jinja/tojson.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(Tojson, WritesJson) {
  expect_texts({
      {"{{ d|tojson }}", "{\"a\": 1, \"b\": {\"c\": [10, 20]}, \"items\": \"x\"}"},
      {"{{ msgs|tojson(indent=2) }}",
       "[\n  {\n    \"role\": \"user\",\n    \"content\": \"hi\",\n    \"n\": 1\n "
       " },\n  {\n    \"role\": \"assistant\",\n    \"content\": \"yo\",\n    \"n\": "
       "2\n  },\n  {\n    \"role\": \"user\",\n    \"content\": \"bye\"\n  }\n]"},
      {"{{ u|tojson }}", "\"Zürich ß 漢字 😀\""},
      {"{{ u|tojson(ensure_ascii=true) }}",
       "\"Z\\u00fcrich \\u00df \\u6f22\\u5b57 \\ud83d\\ude00\""},
      {"{{ q|tojson }}", "\"it's \\\"q\\\"\\n\\t\\u0001\342\200\213\""},
      {"{{ [1, 1.0, 1e16, 1e-7, true, false, none, 'a']|tojson }}",
       "[1, 1.0, 1e+16, 1e-07, true, false, null, \"a\"]"},
      {"{{ {}|tojson }}", "{}"},
      {"{{ []|tojson }}", "[]"},
      {"{{ ()|tojson }}", "[]"},
      {"{{ (1,2)|tojson }}", "[1, 2]"},
      {"{{ {'b':1,'a':2}|tojson(sort_keys=true) }}", "{\"a\": 2, \"b\": 1}"},
      {"{{ d|tojson(separators=(',', ':')) }}", "{\"a\":1,\"b\":{\"c\":[10,20]},\"items\":\"x\"}"},
      {"{{ {'a':[1,{'b':[]}]}|tojson(indent=4) }}",
       "{\n    \"a\": [\n        1,\n        {\n            \"b\": []\n        }\n    ]\n}"},
      {"{{ {'a':[1]}|tojson(indent='--') }}", "{\n--\"a\": [\n----1\n--]\n}"},
      {"{{ {'a':[1]}|tojson(indent=0) }}", "{\n\"a\": [\n1\n]\n}"},
      {"{{ {1:'a', 2.5:'b', none:'c', true:'d'}|tojson }}",
       "{\"1\": \"d\", \"2.5\": \"b\", \"null\": \"c\"}"},
      {"{{ big|tojson }}", "18446744073709551615"},
      {"{{ (2**100)|tojson }}", "1267650600228229401496703205376"},
      {"{{ 'a/b<c>&\\''|tojson }}", "\"a/b<c>&'\""},
      {"{{ ['inf'|float, '-inf'|float, 'nan'|float]|tojson }}", "[Infinity, -Infinity, NaN]"},
      {"{{ '\177\037\342\200\250'|tojson }}", "\"\177\\u001f\342\200\250\""},
      {"{{ '\177'|tojson(ensure_ascii=true) }}", "\"\\u007f\""},
      {"{{ [1,2]|tojson(indent=none) }}", "[1, 2]"},
      {"{{ [1,2]|tojson(true) }}", "[1, 2]"},
      {"{{ 'é'|tojson(false, 1) }}", "\"é\""},
      {"{{ {'a':1}|tojson(indent=2, separators=(';','=')) }}", "{\n  \"a\"=1\n}"},
      {"{{ {'a':1}|tojson(indent=-1) }}", "{\n\"a\": 1\n}"},
      {"{{ {'b':{'d':1,'c':2},'a':[]}|tojson(indent=1, sort_keys=true) }}",
       "{\n \"a\": [],\n \"b\": {\n  \"c\": 2,\n  \"d\": 1\n }\n}"},
  });
}

TEST(Tojson, RefusesWhatHasNoJson) {
  expect_messages({
      {"{{ x|tojson }}", "t:1: Object of type Undefined is not JSON serializable"},
      {"{{ [x]|tojson }}", "t:1: Object of type Undefined is not JSON serializable"},
      {"{{ {(1,2): 1}|tojson }}", "t:1: keys must be str, int, float, bool or None, not tuple"},
      {"{{ namespace()|tojson }}", "t:1: Object of type Namespace is not JSON serializable"},
      {"{{ range|tojson }}", "t:1: Object of type function is not JSON serializable"},
      {"{{ [1,2]|tojson(separators=(',',)) }}",
       "t:1: tojson(): separators are a pair, not 1 values"},
      {"{{ d|tojson(foo=1) }}", "t:1: tojson() got an unexpected keyword argument 'foo'"},
      {"{{ {'a':1,2:3}|tojson(sort_keys=true) }}",
       "t:1: '<' not supported between instances of 'int' and 'str'"},
      {"{{ [1]|tojson(indent=1.5) }}",
       "t:1: tojson(): argument 'indent' must be an integer, not float"},
      {"{{ [1,2]|tojson(separators=(1,2)) }}", "t:1: tojson(): separators are strings, not int"},
  });
}

}  // namespace
}  // namespace invar::jinja

// Malformed JSON texts and checkpoint directories, and the answers to them (malformed_case.h).
#include "formats/malformed_case.h"

namespace invar {
namespace {

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

// One tensor of this name.
std::string shard(const std::string& name) {
  return safetensors_bytes(
      {.header = R"({")" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       .data = "x"});
}

std::string index_of(const std::string& weight_map) {
  return R"({"weight_map":)" + weight_map + "}";
}

constexpr std::string_view kIndexName = "model.safetensors.index.json";

MalformedDirectory index_case(std::string what, const std::string& index,
                              const std::string& answer) {
  return {std::move(what),
          {{std::string(kIndexName), index}, {"s1.safetensors", shard("a")}},
          "DIR/model.safetensors.index.json: " + answer};
}

// Of the file model.safetensors.index.json.
std::vector<MalformedDirectory> malformed_indexes() {
  return {
      index_case("index that is not JSON", "{",
                 "expected a JSON object, found an error: The JSON document has an "
                 "improper structure: missing or superfluous commas, braces, missing keys, etc."),
      index_case("index that is an array", "[]",
                 "expected a JSON object, found an error: The JSON element does not "
                 "have the requested type."),
      index_case("index nested too deep", repeat("{\"a\":", 20) + "1" + repeat("}", 20),
                 "expected a JSON object, found an error: The JSON document was too "
                 "deep (too many nested objects and arrays)"),
      index_case("no weight_map", "{}", "weight_map: expected an object of strings"),
      index_case("weight_map that is an array", index_of("[]"),
                 "weight_map: expected an object of strings"),
      index_case("file name that is a number", index_of(R"({"a":1})"),
                 "weight_map: tensor 'a': expected a file name"),
      index_case("tensor twice in the index",
                 index_of(R"({"a":"s1.safetensors","a":"s1.safetensors"})"),
                 "weight_map: tensor 'a' stands twice"),
      index_case("file in the parent directory", index_of(R"({"a":"../s1.safetensors"})"),
                 "weight_map: expected a file name without a directory, found '../s1.safetensors'"),
      index_case("absolute file name", index_of(R"({"a":"/etc/passwd"})"),
                 "weight_map: expected a file name without a directory, found '/etc/passwd'"),
      index_case("file name '..'", index_of(R"({"a":".."})"),
                 "weight_map: expected a file name without a directory, found '..'"),
      index_case("empty file name", index_of(R"({"a":""})"),
                 "weight_map: expected a file name without a directory, found ''"),
      index_case("file name with a NUL", index_of(R"({"a":"s1\u0000"})"),
                 R"(weight_map: expected a file name without a directory, found 's1\x00')"),
      index_case("index that names a missing file", index_of(R"({"a":"s2.safetensors"})"),
                 "weight_map: tensor 'a': the file 's2.safetensors' is missing"),
      index_case("index that names a missing tensor", index_of(R"({"b":"s1.safetensors"})"),
                 "weight_map: tensor 'b' is not in 's1.safetensors'"),
      {"index that lacks a tensor of its shards",
       {{std::string(kIndexName), index_of(R"({"a":"s1.safetensors","b":"s2.safetensors"})")},
        {"s1.safetensors", shard("a")},
        {"s2.safetensors",
         safetensors_bytes({.header = R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                      R"("x.1":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},)"
                                      R"("x.2":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
                            .data = "xyz"})}},
       "DIR/model.safetensors.index.json: weight_map: expected all tensors of its files, found "
       "nothing for 'x.{1..2}' of DIR/s2.safetensors"},
      {"index with a tensor that a second of its shards holds too",
       {{std::string(kIndexName), index_of(R"({"a":"s1.safetensors","b":"s2.safetensors"})")},
        {"s1.safetensors", shard("a")},
        {"s2.safetensors",
         safetensors_bytes({.header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                      R"("b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                            .data = "xy"})}},
       "DIR/s2.safetensors: tensor 'a' stands also in DIR/s1.safetensors"},
  };
}

}  // namespace

std::vector<MalformedCase> malformed_json() {
  const std::string value = "syntax error while parsing value - ";
  return {
      {"only spaces", "  ",
       "config.json: line 1, byte 2: " + value +
           "unexpected end of input; expected '[', '{', or a literal"},
      {"object that does not end", "{\"a\": 1,\n",
       "config.json: line 2, byte 9: syntax error while parsing object key - unexpected end of "
       "input; expected string literal"},
      {"comma before the end", "[1,\n2,\n]",
       "config.json: line 3, byte 8: " + value + "unexpected ']'; expected '[', '{', or a literal"},
      {"text after the value", "{} x",
       "config.json: line 1, byte 4: " + value +
           "invalid literal; last read: '{} x'; expected end of input"},
      {"comment", "{} // x",
       "config.json: line 1, byte 4: " + value +
           "invalid literal; last read: '{} /'; expected end of input"},
      {"NaN", "[NaN]",
       "config.json: line 1, byte 2: " + value + "invalid literal; last read: '[N'"},
      {"Infinity, in a file that is no configuration", "[Infinity]",
       "config.json: line 1, byte 2: " + value + "invalid literal; last read: '[I'"},
      {"number that is too large", "[1e999]",
       "config.json: line 1, byte 6: number overflow parsing '1e999'"},
      {"number with a leading zero", "[01]",
       "config.json: line 1, byte 3: syntax error while parsing array - unexpected number literal; "
       "expected ']'"},
      {"string that is not UTF-8", "\"\xff\"",
       "config.json: line 1, byte 2: " + value +
           R"(invalid string: ill-formed UTF-8 byte; last read: '"\xff')"},
      {"half a surrogate pair", R"("\ud800")",
       "config.json: line 1, byte 8: " + value +
           "invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF; last "
           R"(read: '"\ud800"')"},
      {"control character in a string", "\"a\nb\"",
       "config.json: line 2, byte 3: " + value +
           "invalid string: control character U+000A (LF) must be escaped to \\u000A or \\n; last "
           "read: '\"a<U+000A>'"},
      {"key twice", "{\"a\": 1,\n \"b\": {\"a\": 2, \"a\": 3}}",
       "config.json: line 2, byte 27: key 'a' stands twice in one object"},
      {"arrays nested 65 deep", repeat("[", 65) + repeat("]", 65),
       "config.json: line 1, byte 65: nested deeper than 64 levels"},
      {"a million open brackets", repeat("[", 1'000'000),
       "config.json: line 1, byte 65: nested deeper than 64 levels"},
      {"objects nested 65 deep", repeat("{\"a\":", 65) + "1" + repeat("}", 65),
       "config.json: line 1, byte 321: nested deeper than 64 levels"},
  };
}

std::vector<MalformedDirectory> malformed_checkpoints() {
  std::vector<MalformedDirectory> all = {
      {"no weights",
       {{"config.json", "{}"}},
       "DIR: expected model.safetensors, model.safetensors.index.json or *.safetensors, found "
       "none"},
      {"a broken model.safetensors",
       {{"model.safetensors", "x"}},
       "DIR/model.safetensors: header length: expected 8 bytes, found 1"},
      {"an empty model.safetensors",
       {{"model.safetensors", ""}},
       "DIR/model.safetensors: the file is empty"},
      {"one name in two shards",
       {{"s1.safetensors", shard("a")}, {"s2.safetensors", shard("a")}},
       "DIR/s2.safetensors: tensor 'a' stands also in DIR/s1.safetensors"},
      {"one name in two indexed shards",
       {{std::string(kIndexName), index_of(R"({"a":"s1.safetensors","b":"s2.safetensors"})")},
        {"s1.safetensors", shard("a")},
        {"s2.safetensors",
         safetensors_bytes({.header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                      R"("b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                            .data = "xy"})}},
       "DIR/s2.safetensors: tensor 'a' stands also in DIR/s1.safetensors"},
  };
  const std::vector<MalformedDirectory> indexes = malformed_indexes();
  all.insert(all.end(), indexes.begin(), indexes.end());
  return all;
}

}  // namespace invar

// Parsing of good small JSON files, and limits. Malformed ones are in malformed_files_test.cc.
#include "formats/json.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "formats/malformed_case.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

TEST(JsonTest, ReadsAFile) {
  const TemporaryDirectory directory;
  const nlohmann::json value = read_json_file(directory.write("config.json", small_json_file()));
  EXPECT_EQ(value.at("model_type"), "llama");
  EXPECT_EQ(value.at("sizes"), nlohmann::json({1, -2, 350.0}));
  EXPECT_EQ(value.at("inner").at("flag"), true);
  EXPECT_TRUE(value.at("inner").at("none").is_null());
  EXPECT_EQ(value.at("text"), "a\xc3\xa9\n\"b\"");
}

TEST(JsonTest, ReadsAnyValueAtTheTop) {
  EXPECT_EQ(parse_json("x", "3"), 3);
  EXPECT_EQ(parse_json("x", "\"a\""), "a");
  EXPECT_EQ(parse_json("x", "\xef\xbb\xbf[]").size(), 0u);  // a byte order mark is passed over
  EXPECT_EQ(parse_json("x", R"([{"a":1},{"a":2}])").size(), 2u);  // one key in two objects
}

TEST(JsonTest, NamesTheFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.write("config.json", "{\n\n  \"a\": tru }");
  expect_error([&] { (void)read_json_file(path); }, Code::kBadFile,
               path +
                   ": line 3, byte 14: syntax error while parsing value - invalid literal; last "
                   "read: '\"a\": tru '");
  const std::string absent = directory.path() / "absent.json";
  expect_error([&] { (void)read_json_file(absent); }, Code::kIo,
               absent + ": cannot open: No such file or directory");
}

TEST(JsonTest, HasLimits) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(parse_json("x", deep).size(), 1u);
  EXPECT_EQ(parse_json("x", "[[1]]", {.depth_max = 2}).size(), 1u);
  expect_error([&] { (void)parse_json("x", "[[1]]", {.depth_max = 1}); }, Code::kBadFile,
               "x: line 1, byte 2: nested deeper than 1 levels");
  EXPECT_EQ(parse_json("x", "[1]", {.bytes_max = 3}).size(), 1u);
  expect_error([&] { (void)parse_json("x", "[12]", {.bytes_max = 3}); }, Code::kBadFile,
               "x: expected at most 3 bytes of JSON, found 4");
  const TemporaryDirectory directory;
  const std::string path = directory.write("large.json", "[]");
  std::filesystem::resize_file(path, (32 << 20) + 1);  // sparse
  expect_error([&] { (void)read_json_file(path); }, Code::kBadFile,
               path + ": expected at most 33554432 bytes of JSON, found 33554433");
}

TEST(JsonTest, ANulEndsNoText) {
  using std::string_literals::operator""s;
  for (const std::string& text : {"[1]\0"s, "[1]\0, 2]"s, "\0[1]"s, "[\"a\0b\"]"s}) {
    expect_error([&] { (void)parse_json("x", text); }, Code::kBadFile,
                 fmt::format("x: byte {}: expected text, found a NUL", text.find('\0')));
  }
  EXPECT_EQ(parse_json("x", R"(["\u0000"])")[0], "\0"s);
}

TEST(JsonTest, RefusesIntegersThatWouldBeRoundedWhereTheyAreData) {
  constexpr JsonLimits kExact = {.exact_integers = true};
  const nlohmann::json bounds =
      parse_json("x", "[-9223372036854775808, 18446744073709551615]", kExact);
  EXPECT_EQ(bounds.dump(), "[-9223372036854775808,18446744073709551615]");
  EXPECT_EQ(parse_json("x", "[1e30, 18446744073709551616.0]", kExact).size(), 2u);
  EXPECT_TRUE(parse_json("x", "1000000000000000000000000000000").is_number_float());
  expect_error([] { (void)parse_json("x", "{\"a\":\n18446744073709551616}", kExact); },
               Code::kBadFile,
               "x: line 2, byte 27: expected an integer from -9223372036854775808 to "
               "18446744073709551615, found 18446744073709551616");
  const TemporaryDirectory directory;
  const std::string path = directory.write("messages.json", "[-9223372036854775809]");
  expect_error([&] { (void)read_ordered_json_file(path); }, Code::kBadFile,
               path +
                   ": line 1, byte 22: expected an integer from -9223372036854775808 to "
                   "18446744073709551615, found -9223372036854775809");
}

TEST(Json, InfinityIsTakenWhereItIsAskedFor) {
  const JsonLimits limits{.infinity = true};
  const nlohmann::json infinity = {{"__float__", "Infinity"}};
  const nlohmann::json value = parse_json(
      "c.json", "{\"a\": [0, Infinity],\n\"b\":Infinity, \"c\": \"[Infinity\\\"\"}", limits);
  EXPECT_EQ(value["a"][1], infinity);
  EXPECT_EQ(value["b"], infinity);
  EXPECT_EQ(value["c"], "[Infinity\"");
  // Faults have their places in the file.
  const struct {
    std::string text;
    std::string message;
  } faults[] = {
      {"[-Infinity]",
       "c.json: line 1, byte 3: syntax error while parsing value - invalid number; "
       "expected digit after '-'; last read: '-I'"},
      {"[NaN]",
       "c.json: line 1, byte 2: syntax error while parsing value - invalid literal; last "
       "read: '[N'"},
      {"[Infinityx]",
       "c.json: line 1, byte 10: syntax error while parsing array - invalid literal; "
       "last read: '10000000x'; expected ']'"},
      {"[Infinity, Infinity,\n1e999]", "c.json: line 2, byte 26: number overflow parsing '1e999'"},
  };
  for (const auto& each : faults) {
    expect_error([&] { parse_json("c.json", each.text, limits); }, Code::kBadFile, each.message);
  }
}

}  // namespace
}  // namespace invar

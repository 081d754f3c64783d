// Malformed safetensors files and the answers to them (malformed_case.h).
#include <fmt/format.h>

#include "formats/gguf_writer.h"
#include "formats/malformed_case.h"

namespace invar {
namespace {

// A file with one entry "a" of these fields and this many bytes of data.
std::string one_tensor(const std::string& fields, size_t data_bytes) {
  return safetensors_bytes(
      {.header = R"({"a":{)" + fields + "}}", .data = std::string(data_bytes, '\0')});
}

std::string two_tensors(const std::string& offsets_a, const std::string& offsets_b) {
  return safetensors_bytes(
      {.header = fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":{}}},)"
                             R"("b":{{"dtype":"U8","shape":[4],"data_offsets":{}}}}})",
                             offsets_a, offsets_b),
       .data = std::string(8, '\0')});
}

std::string header_only(const std::string& header) {
  return safetensors_bytes({.header = header, .data = ""});
}

std::vector<MalformedCase> malformed_headers() {
  return {
      {"shorter than the header's length", "1234567",
       "model.safetensors: header length: expected 8 bytes, found 7"},
      {"header length above the format's limit", number_bytes(uint64_t{100'000'001}) + "{}",
       "model.safetensors: header length: expected at most 100000000, found 100000001"},
      {"header length of the format's limit, without a header",
       number_bytes(uint64_t{100'000'000}) + "{}",
       "model.safetensors: header: expected 100000000 bytes, found 2"},
      {"header length of 2^64-1", number_bytes(~uint64_t{0}) + "{}",
       "model.safetensors: header length: expected at most 100000000, found 18446744073709551615"},
      {"header length beyond the end", number_bytes(uint64_t{3}) + "{}",
       "model.safetensors: header: expected 3 bytes, found 2"},
      {"empty header", header_only(""),
       "model.safetensors: header: expected '{' as the first byte, found ''"},
      {"header that begins with a space", header_only(" {}"),
       "model.safetensors: header: expected '{' as the first byte, found ' '"},
      {"header that is not JSON", header_only("{\"a\""),
       "model.safetensors: header: expected a JSON object, found an error: "
       "The JSON document has an improper structure: missing or superfluous commas, "
       "braces, missing keys, etc."},
      {"text after the header's object", header_only("{} {}"),
       "model.safetensors: header: expected a JSON object, found an error: "
       "The JSON document has an improper structure: missing or superfluous commas, "
       "braces, missing keys, etc."},
      {"header that is not UTF-8", header_only("{\"\xff\":1}"),
       "model.safetensors: header: expected a JSON object, found an error: "
       "The input is not valid UTF-8"},
      {"header nested too deep", header_only("{\"a\":[[[[[[[[1]]]]]]]]}"),
       "model.safetensors: header: expected a JSON object, found an error: "
       "The JSON document was too deep (too many nested objects and arrays)"},
      {"metadata that is not an object", header_only(R"({"__metadata__":["pt"]})"),
       "model.safetensors: __metadata__: expected an object of strings"},
      {"metadata value that is not a string", header_only(R"({"__metadata__":{"n":1}})"),
       "model.safetensors: __metadata__: key 'n': expected a string"},
      {"metadata key twice", header_only(R"({"__metadata__":{"n":"1","n":"2"}})"),
       "model.safetensors: __metadata__: key 'n' stands twice"},
      {"metadata twice", header_only(R"({"__metadata__":{},"__metadata__":{}})"),
       "model.safetensors: header: '__metadata__' stands twice"},
  };
}

std::vector<MalformedCase> malformed_fields() {
  return {
      {"tensor that is not an object", header_only(R"({"a":[]})"),
       "model.safetensors: tensor 'a': expected an object"},
      {"tensor name with control characters", header_only("{\"a\\u001b[2J\\u00e9\":1}"),
       R"(model.safetensors: tensor 'a\x1b[2J\xc3\xa9': expected an object)"},
      {"tensor name of 200 bytes", header_only("{\"" + std::string(200, 'n') + "\":1}"),
       "model.safetensors: tensor '" + std::string(120, 'n') + "...': expected an object"},
      {"unknown field", one_tensor(R"("stride":[1])", 0),
       "model.safetensors: tensor 'a': unknown field 'stride'"},
      {"field twice", one_tensor(R"("dtype":"U8","dtype":"I8")", 0),
       "model.safetensors: tensor 'a': dtype stands twice"},
      {"no dtype", one_tensor(R"("shape":[],"data_offsets":[0,0])", 0),
       "model.safetensors: tensor 'a': dtype is missing"},
      {"no shape", one_tensor(R"("dtype":"U8","data_offsets":[0,0])", 0),
       "model.safetensors: tensor 'a': shape is missing"},
      {"no data_offsets", one_tensor(R"("dtype":"U8","shape":[])", 0),
       "model.safetensors: tensor 'a': data_offsets is missing"},
      {"dtype that is not a string", one_tensor(R"("dtype":8,"shape":[],"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': dtype: expected a string"},
      {"unknown dtype", one_tensor(R"("dtype":"Q4_K","shape":[],"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': dtype: unknown type 'Q4_K'"},
      {"shape that is not an array",
       one_tensor(R"("dtype":"U8","shape":1,"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': shape: expected an array of sizes"},
      {"negative size", one_tensor(R"("dtype":"U8","shape":[1,-1],"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': shape: axis 1: expected an integer from 0 to 2^63-1"},
      {"size that is not an integer",
       one_tensor(R"("dtype":"U8","shape":[1.0],"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': shape: axis 0: expected an integer from 0 to 2^63-1"},
      {"size of 2^63",
       one_tensor(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': shape: axis 0: expected an integer from 0 to 2^63-1"},
      {"product of the shape above 2^64 bits",
       one_tensor(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,1])", 1),
       "model.safetensors: tensor 'a': shape: [4294967296, 4294967296] has too many elements"},
      {"4-bit elements that end inside a byte",
       one_tensor(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])", 2),
       "model.safetensors: tensor 'a': shape: [3] of F4 does not end at a whole byte"},
  };
}

std::vector<MalformedCase> malformed_ranges() {
  const std::string two_integers =
      "model.safetensors: tensor 'a': data_offsets: expected two integers from 0 to 2^64-1";
  const std::string inside =
      "model.safetensors: tensor 'a': data_offsets: expected a range inside the 4 bytes of data, "
      "found ";
  return {
      {"data_offsets that is not an array",
       one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":4)", 4), two_integers},
      {"one offset", one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0])", 4), two_integers},
      {"three offsets", one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,4,8])", 4),
       two_integers},
      {"negative offset", one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":[-4,0])", 4),
       two_integers},
      {"range beyond the end", one_tensor(R"("dtype":"U8","shape":[5],"data_offsets":[0,5])", 4),
       inside + "[0, 5]"},
      {"end before begin", one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":[4,0])", 4),
       inside + "[4, 0]"},
      {"end of 2^64-1",
       one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,18446744073709551615])", 4),
       inside + "[0, 18446744073709551615]"},
      {"range of another size than the shape's",
       one_tensor(R"("dtype":"F32","shape":[2,1],"data_offsets":[0,4])", 4),
       "model.safetensors: tensor 'a': data_offsets: expected 8 bytes for F32 [2, 1], found 4"},
      {"overlapping tensors", two_tensors("[0,4]", "[3,7]"),
       "model.safetensors: tensor 'b': data_offsets: overlaps tensor 'a'"},
      {"two tensors with the same bytes", two_tensors("[4,8]", "[4,8]"),
       "model.safetensors: tensor 'a': data_offsets: 4 bytes before it belong to no tensor"},
      {"hole at the start", two_tensors("[1,5]", "[4,8]"),
       "model.safetensors: tensor 'a': data_offsets: 1 bytes before it belong to no tensor"},
      {"hole between tensors",
       safetensors_bytes({.header = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                                    R"("b":{"dtype":"U8","shape":[2],"data_offsets":[5,7]}})",
                          .data = "0123456"}),
       "model.safetensors: tensor 'b': data_offsets: 3 bytes before it belong to no tensor"},
      {"bytes after the last tensor",
       one_tensor(R"("dtype":"U8","shape":[4],"data_offsets":[0,4])", 5),
       "model.safetensors: 1 bytes after the last tensor belong to no tensor"},
      {"data without tensors", safetensors_bytes({.header = "{}", .data = "x"}),
       "model.safetensors: 1 bytes after the last tensor belong to no tensor"},
      {"tensor name twice",
       safetensors_bytes({.header = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                                    R"("a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                          .data = "0123"}),
       "model.safetensors: tensor 'a' stands twice"},
  };
}

}  // namespace

std::vector<MalformedCase> malformed_safetensors() {
  std::vector<MalformedCase> cases = malformed_headers();
  for (const std::vector<MalformedCase>& more : {malformed_fields(), malformed_ranges()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace invar

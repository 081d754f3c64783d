// Malformed GGUF files and the answers to them (malformed_case.h).
#include <utility>

#include "formats/gguf_writer.h"
#include "formats/malformed_case.h"

namespace invar {
namespace {

constexpr uint32_t kArrayId = static_cast<uint32_t>(GgufType::kArray);
constexpr uint32_t kStringId = static_cast<uint32_t>(GgufType::kString);
constexpr uint32_t kU32Id = static_cast<uint32_t>(GgufType::kU32);
constexpr uint32_t kBoolId = static_cast<uint32_t>(GgufType::kBool);

// A file with one entry "k" whose value has these bytes.
std::string one_value(uint32_t type_id, const std::string& value_bytes) {
  GgufWriter writer;
  writer.add_raw("k", type_id, value_bytes);
  return writer.build();
}

// A file whose header claims these counts and whose body is `body`.
struct Counts {
  uint64_t tensors = 0;
  uint64_t entries = 0;
};
std::string with_counts(Counts counts, const std::string& body) {
  return "GGUF" + number_bytes(uint32_t{3}) + number_bytes(counts.tensors) +
         number_bytes(counts.entries) + body;
}

std::string one_tensor(GgufTensorSpec tensor) {
  GgufWriter writer;
  writer.add_tensor(std::move(tensor));
  return writer.build();
}

GgufTensorSpec small_tensor(const std::string& name) {
  return {.name = name, .type = GgmlType::kF32, .shape = {4}, .data = std::string(16, '\0')};
}

std::string with_header(const std::string& magic, uint32_t version) {
  GgufWriter writer;
  writer.magic = magic;
  writer.version = version;
  return writer.build();
}

std::string with_alignment(uint32_t alignment) {
  GgufWriter writer;
  writer.add<uint32_t>("general.alignment", alignment);
  return writer.build();
}

// Arrays inside each other: `depth` levels, the innermost of one u8.
std::string nested_array(int depth) {
  std::string bytes = gguf_array_bytes({.element_type = 0, .count = 1, .elements = "x"});
  for (int i = 1; i < depth; ++i) {
    bytes = gguf_array_bytes({.element_type = kArrayId, .count = 1, .elements = bytes});
  }
  return bytes;
}

std::string overlapping_tensors() {
  GgufWriter writer;
  GgufTensorSpec first = small_tensor("first");
  first.shape = {16};
  first.data = std::string(64, '\0');
  writer.add_tensor(first);
  GgufTensorSpec second = small_tensor("second");
  second.offset = 32;
  writer.add_tensor(second);
  return writer.build();
}

std::vector<MalformedCase> malformed_headers() {
  return {
      {"shorter than the magic", "GGU",
       "model.gguf: header: expected 4 bytes at offset 0, found 3"},
      {"another magic", with_header("GGML", 3), "model.gguf: magic: expected 'GGUF', found 'GGML'"},
      {"version 1", with_header("GGUF", 1),
       "model.gguf: version: expected 2 or 3, found 1 (an early format)", Code::kUnsupported},
      {"version 4", with_header("GGUF", 4), "model.gguf: version: expected 2 or 3, found 4",
       Code::kUnsupported},
      {"version 0", with_header("GGUF", 0), "model.gguf: version: expected 2 or 3, found 0",
       Code::kUnsupported},
      {"big endian", with_header("GGUF", 0x03000000),
       "model.gguf: version: expected a little-endian file, found a big-endian one",
       Code::kUnsupported},
      {"end inside the header", with_header("GGUF", 3).substr(0, 20),
       "model.gguf: header: expected 8 bytes at offset 16, found 4"},
      {"more entries than the file can hold", with_counts({.entries = 1}, ""),
       "model.gguf: metadata: expected a count of at most 0 (what the file can hold), found 1"},
      {"2^64-1 entries", with_counts({.entries = ~uint64_t{0}}, std::string(30, '\0')),
       "model.gguf: metadata: expected a count of at most 2 (what the file can hold), found "
       "18446744073709551615"},
      {"2^64-1 tensors", with_counts({.tensors = ~uint64_t{0}}, std::string(30, '\0')),
       "model.gguf: tensor table: expected a count of at most 1 (what the file can hold), found "
       "18446744073709551615"},
      {"alignment of 0", with_alignment(0),
       "model.gguf: key 'general.alignment': expected a power of two of at least 8, found 0"},
      {"alignment of 24", with_alignment(24),
       "model.gguf: key 'general.alignment': expected a power of two of at least 8, found 24"},
      {"alignment that is not a u32",
       [] {
         GgufWriter writer;
         writer.add<uint64_t>("general.alignment", 32);
         return writer.build();
       }(),
       "model.gguf: key 'general.alignment': expected u32, found u64"},
  };
}

std::vector<MalformedCase> malformed_entries() {
  return {
      {"key length beyond the end",
       with_counts({.entries = 1}, number_bytes(uint64_t{99}) + "abcdefgh"),
       "model.gguf: metadata: expected 99 bytes at offset 32, found 8"},
      {"key length of 2^64-1", with_counts({.entries = 1}, number_bytes(~uint64_t{0}) + "abcdefgh"),
       "model.gguf: metadata: expected 18446744073709551615 bytes at offset 32, found 8"},
      {"empty key",
       [] {
         GgufWriter writer;
         writer.add<uint32_t>("", 1);
         return writer.build();
       }(),
       "model.gguf: metadata: entry 0: expected a key of 1 to 65535 bytes, found 0"},
      {"key of 65536 bytes",
       [] {
         GgufWriter writer;
         writer.add<uint32_t>(std::string(65536, 'k'), 1);
         return writer.build();
       }(),
       "model.gguf: metadata: entry 0: expected a key of 1 to 65535 bytes, found 65536"},
      {"key twice",
       [] {
         GgufWriter writer;
         writer.add<uint32_t>("k", 1);
         writer.add_string("k", "x");
         return writer.build();
       }(),
       "model.gguf: key 'k' stands twice"},
      {"unknown value type", one_value(13, "x"), "model.gguf: key 'k': unknown value type 13"},
      {"value beyond the end", one_value(kU32Id, "123"),
       "model.gguf: key 'k': expected a count of at most 0 (what the file can hold), found 1"},
      {"bool of 2", one_value(kBoolId, "\2"),
       "model.gguf: key 'k': expected a bool of 0 or 1, found 2"},
      {"string length beyond the end", one_value(kStringId, number_bytes(uint64_t{4}) + "abc"),
       "model.gguf: key 'k': expected 4 bytes at offset 45, found 3"},
      {"string length of 2^64-1", one_value(kStringId, number_bytes(~uint64_t{0}) + "abc"),
       "model.gguf: key 'k': expected 18446744073709551615 bytes at offset 45, found 3"},
  };
}

std::vector<MalformedCase> malformed_arrays() {
  return {
      {"unknown element type", one_value(kArrayId, gguf_array_bytes({.element_type = 99})),
       "model.gguf: key 'k': unknown value type 99"},
      {"array longer than the file",
       one_value(kArrayId,
                 gguf_array_bytes({.element_type = kU32Id, .count = 2, .elements = "1234567"})),
       "model.gguf: key 'k': expected a count of at most 1 (what the file can hold), found 2"},
      {"array of 2^62 numbers, whose size overflows",
       one_value(kArrayId, gguf_array_bytes({.element_type = kU32Id, .count = uint64_t{1} << 62})),
       "model.gguf: key 'k': expected a count of at most 0 (what the file can hold), found "
       "4611686018427387904"},
      {"array of more strings than the file can hold",
       one_value(kArrayId, gguf_array_bytes({.element_type = kStringId,
                                             .count = 2,
                                             .elements = gguf_string_bytes("abc")})),
       "model.gguf: key 'k': expected a count of at most 1 (what the file can hold), found 2"},
      {"string in an array beyond the end",
       one_value(kArrayId, gguf_array_bytes({.element_type = kStringId,
                                             .count = 1,
                                             .elements = number_bytes(uint64_t{9}) + "abc"})),
       "model.gguf: key 'k': expected 9 bytes at offset 57, found 3"},
      {"bool of 7 in an array",
       one_value(kArrayId,
                 gguf_array_bytes({.element_type = kBoolId, .count = 2, .elements = "\1\7"})),
       "model.gguf: key 'k': expected a bool of 0 or 1, found 7"},
      {"array of more arrays than the file can hold",
       one_value(
           kArrayId,
           gguf_array_bytes({.element_type = kArrayId, .count = 2, .elements = nested_array(1)})),
       "model.gguf: key 'k': expected a count of at most 1 (what the file can hold), found 2"},
      {"arrays nested five deep", one_value(kArrayId, nested_array(5)),
       "model.gguf: key 'k': arrays nested deeper than 4 levels"},
      {"arrays nested a thousand deep", one_value(kArrayId, nested_array(1000)),
       "model.gguf: key 'k': arrays nested deeper than 4 levels"},
  };
}

MalformedCase tensor_case(std::string what, GgufTensorSpec tensor, const std::string& answer,
                          Code code = Code::kBadFile) {
  return {std::move(what), one_tensor(std::move(tensor)), "model.gguf: " + answer, code};
}

std::vector<MalformedCase> malformed_tensor_infos() {
  GgufTensorSpec five_axes = small_tensor("w");
  five_axes.shape = {1, 1, 1, 1, 4};
  GgufTensorSpec many_axes = small_tensor("w");
  many_axes.axes = ~uint32_t{0};
  GgufTensorSpec negative = small_tensor("w");
  negative.shape = {-1, 4};
  GgufTensorSpec unknown = small_tensor("w");
  unknown.type_id = 43;
  GgufTensorSpec removed = small_tensor("w");
  removed.type_id = 4;
  GgufTensorSpec repacked = small_tensor("w");
  repacked.type_id = 31;
  GgufTensorSpec ragged = small_tensor("w");
  ragged.type = GgmlType::kQ4_K;
  ragged.shape = {2, 128};
  GgufTensorSpec huge = small_tensor("w");
  huge.shape = {int64_t{1} << 40, int64_t{1} << 40};
  return {
      tensor_case("empty tensor name", small_tensor(""),
                  "tensor table: tensor 0: expected a name of 1 to 64 bytes, found 0"),
      tensor_case("tensor name of 65 bytes", small_tensor(std::string(65, 'n')),
                  "tensor table: tensor 0: expected a name of 1 to 64 bytes, found 65"),
      {"tensor name beyond the end",
       with_counts({.tensors = 1}, number_bytes(uint64_t{50}) + std::string(20, 'n')),
       "model.gguf: tensor table: expected 50 bytes at offset 32, found 20"},
      tensor_case("five axes", five_axes, "tensor 'w': expected at most 4 axes, found 5"),
      tensor_case("2^32-1 axes", many_axes,
                  "tensor 'w': expected at most 4 axes, found 4294967295"),
      tensor_case("axis of 2^64-1", negative,
                  "tensor 'w': axis 1: expected a size below 2^63, found 18446744073709551615"),
      tensor_case("unknown tensor type", unknown, "tensor 'w': unknown tensor type 43"),
      tensor_case("removed tensor type", removed,
                  "tensor 'w': type 4 (Q4_2) was removed from the format", Code::kUnsupported),
      tensor_case("removed repacked type", repacked,
                  "tensor 'w': type 31 (Q4_0_4_4) was removed from the format", Code::kUnsupported),
      tensor_case("row that is not whole groups", ragged,
                  "tensor 'w': expected rows of a multiple of 256 elements (Q4_K), found 128"),
      tensor_case("product of the shape above 2^64", huge,
                  "tensor 'w': shape [1099511627776, 1099511627776] has too many elements"),
      {"tensor name twice",
       [] {
         GgufWriter writer;
         writer.add_tensor(small_tensor("w"));
         writer.add_tensor(small_tensor("w"));
         return writer.build();
       }(),
       "model.gguf: tensor 'w' stands twice"},
  };
}

std::vector<MalformedCase> malformed_tensor_data() {
  GgufTensorSpec misaligned = small_tensor("w");
  misaligned.offset = 16;
  GgufTensorSpec beyond = small_tensor("w");
  beyond.offset = 32;
  GgufTensorSpec far = small_tensor("w");
  far.offset = ~uint64_t{31};
  GgufTensorSpec short_data = small_tensor("w");
  short_data.data = std::string(15, '\0');
  GgufTensorSpec empty_beyond = small_tensor("w");
  empty_beyond.shape = {0};
  empty_beyond.offset = 1024;
  return {
      tensor_case("offset that is not aligned", misaligned,
                  "tensor 'w': offset: expected a multiple of 32, found 16"),
      tensor_case("data beyond the end", beyond,
                  "tensor 'w': expected 16 bytes at offset 32 of the data, found 16 bytes"),
      tensor_case("offset of 2^64-32", far,
                  "tensor 'w': expected 16 bytes at offset 18446744073709551584 of the data, found "
                  "16 bytes"),
      tensor_case("data cut by one byte", short_data,
                  "tensor 'w': expected 16 bytes at offset 0 of the data, found 15 bytes"),
      tensor_case("empty tensor beyond the end", empty_beyond,
                  "tensor 'w': expected 0 bytes at offset 1024 of the data, found 16 bytes"),
      {"end before the data",
       [] {
         const std::string file = one_tensor(small_tensor("w"));
         return file.substr(0, file.size() - 16 - 7);
       }(),
       "model.gguf: tensor 'w': expected 16 bytes at offset 0 of the data, found 0 bytes"},
      {"overlapping tensors", overlapping_tensors(),
       "model.gguf: tensor 'second': its data overlaps tensor 'first'"},
  };
}

}  // namespace

std::vector<MalformedCase> malformed_gguf() {
  std::vector<MalformedCase> cases = malformed_headers();
  for (const std::vector<MalformedCase>& more :
       {malformed_entries(), malformed_arrays(), malformed_tensor_infos(),
        malformed_tensor_data()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace invar

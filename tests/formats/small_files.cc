// Small good files (malformed_case.h).
#include "formats/gguf_writer.h"
#include "formats/malformed_case.h"

namespace invar {

std::string safetensors_bytes(const SafetensorsParts& parts) {
  return number_bytes(static_cast<uint64_t>(parts.header.size())) + parts.header + parts.data;
}

std::string small_safetensors_file() {
  return safetensors_bytes({.header = R"({"__metadata__":{"format":"pt"},)"
                                      R"("b":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]},)"
                                      R"("a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}} )",
                            .data = "0123abcdefgh"});
}

std::string small_gguf_file() {
  GgufWriter writer;
  writer.add_string("general.architecture", "llama");
  writer.add<uint32_t>("llama.block_count", 2);
  writer.add<bool>("flag", true);
  writer.add_strings("tokens", std::vector<std::string>{"a", "bc"});
  writer.add_array<float>("scores", std::vector<float>{0.5f, -1.0f});
  const std::string inner = gguf_array_bytes({.element_type = 0, .count = 1, .elements = "x"});
  writer.add_raw("nested", 9, gguf_array_bytes({.element_type = 9, .count = 1, .elements = inner}));
  writer.add_zero_tensor("norm", GgmlType::kF32, {4});
  writer.add_zero_tensor("weight", GgmlType::kQ8_0, {2, 32});
  return writer.build();
}

std::string small_json_file() {
  return R"({"model_type": "llama", "sizes": [1, -2, 3.5e2], "inner": {"flag": true, "none": null},
  "text": "a\u00e9\n\"b\""})";
}

}  // namespace invar

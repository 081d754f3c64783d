// Fuzz target: the GGUF reader, and every lookup on what it accepted.
#include <cstdint>
#include <numeric>

#include "core/error.h"
#include "formats/gguf.h"

namespace invar {
namespace {

// Decodes one value in every way that its type allows.
void decode(const GgufValue& value) {
  (void)value.type_text();
  if (value.is_array_of(GgufType::kArray)) {
    for (const GgufValue& inner : value.arrays()) {
      decode(inner);
    }
  } else if (value.is_array_of(GgufType::kString)) {
    size_t length = 0;
    for (const std::string_view text : value.strings()) {
      length += text.size();
    }
    INVAR_CHECK(length <= value.bytes.size(), "{} bytes", length);
  } else if (value.is_array_of(GgufType::kF32)) {
    (void)value.numbers<float>();
  }
}

void read_everything(const GgufFile& file) {
  for (const GgufEntry& entry : file.entries()) {
    INVAR_CHECK(file.find_value(entry.key) == &entry.value, "{}", entry.key);
    decode(entry.value);
    try {
      (void)file.find_integers(entry.key);
    } catch (const Error&) {
    }
    try {
      (void)file.get_integer(entry.key);
    } catch (const Error&) {
    }
  }
  for (const GgufTensor& tensor : file.tensors()) {
    INVAR_CHECK(file.find_tensor(tensor.name) == &tensor, "{}", tensor.name);
    (void)std::accumulate(tensor.data.begin(), tensor.data.end(), 0,
                          [](int sum, std::byte byte) { return sum ^ std::to_integer<int>(byte); });
  }
}

}  // namespace
}  // namespace invar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const invar::GgufFile file =
        invar::GgufFile::parse("fuzz.gguf", std::as_bytes(std::span(data, size)));
    invar::read_everything(file);
  } catch (const invar::Error&) {
    // The expected end of a malformed input. Anything else thrown ends the process.
  }
  return 0;
}

// Fuzz target: the safetensors reader. The tensors it accepts must cover the data exactly.
#include <cstdint>
#include <numeric>

#include "core/error.h"
#include "formats/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const invar::SafetensorsFile file =
        invar::SafetensorsFile::parse("fuzz.safetensors", std::as_bytes(std::span(data, size)));
    size_t covered = 0;
    for (const invar::TensorEntry& entry : file.tensors()) {
      INVAR_CHECK(file.find(entry.name) == &entry, "{}", entry.name);
      covered += entry.data.size();
      (void)std::accumulate(entry.data.begin(), entry.data.end(), 0, [](int sum, std::byte byte) {
        return sum ^ std::to_integer<int>(byte);
      });
    }
    INVAR_CHECK(covered + 8 <= size, "{} of {} bytes", covered, size);
  } catch (const invar::Error&) {
    // The expected end of a malformed input. Anything else thrown ends the process.
  }
  return 0;
}

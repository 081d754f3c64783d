// Fuzz target: the reader of small JSON files. What it accepts must survive a round trip.
#include <cstdint>

#include "core/error.h"
#include "formats/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const nlohmann::json value = invar::parse_json("fuzz.json", text);
    INVAR_CHECK(invar::parse_json("dump", value.dump()) == value, "{}", value.dump());
  } catch (const invar::Error&) {
    // The expected end of a malformed input. Anything else thrown ends the process.
  }
  return 0;
}
